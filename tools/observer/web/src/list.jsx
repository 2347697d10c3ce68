// A table whose rows are all here: sorted on this side, by any column.
import { useMemo, useState } from "preact/hooks";
import { Table } from "./table.jsx";

const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));

/** columns as Table's, with value(row) to sort by (then the column is sortable). */
export function List({ name, columns, rows, sort, ascending: up, onOpen, empty, quiet }) {
  const [order, setOrder] = useState({ key: sort, ascending: !!up });
  const [selected, select] = useState(0);
  const [top, scrollTo] = useState(0);
  const sorted = useMemo(() => {
    const column = columns.find((c) => c.key === order.key);
    if (!column?.value) return rows;
    const out = rows.map((row) => [column.value(row), row]).sort((a, b) => compare(a[0], b[0]));
    if (!order.ascending) out.reverse();
    return out.map(([, row]) => row);
  }, [rows, order]);
  return (
    <Table
      name={name}
      columns={columns.map((c) => ({ sortable: !!c.value, ...c }))}
      count={sorted.length}
      rowAt={(k) => sorted[k]}
      selected={selected}
      onSelect={select}
      scroll={{ top }}
      onScroll={scrollTo}
      sorted={order.key}
      ascending={order.ascending}
      onSort={(key) => setOrder((o) => ({ key, ascending: o.key === key ? !o.ascending : false }))}
      onOpen={onOpen}
      empty={empty}
      quiet={quiet}
    />
  );
}
