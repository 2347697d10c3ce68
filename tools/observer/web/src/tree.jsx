// View 8, first page: processes by who spawned them and is linked to them: supervision, mostly.
// A branch is asked for when it is opened.
import { useEffect, useState } from "preact/hooks";
import { useKeys, useObserver } from "./hooks.js";
import { nameOf } from "./names.js";
import { State } from "./processes.jsx";
import { settings } from "./socket.js";
import { Table } from "./table.jsx";
import { bytes, count, grouped } from "./units.js";

const DEEPEST = 30, MOST_OPEN = 200;

async function branches(link, open, isFirst) {
  const rows = [];
  const add = async (p, depth) => {
    const isOpen = open.has(p.pid);
    rows.push({ ...p, id: p.pid, depth, isOpen, tone: p.lint?.length ? "warned" : "" });
    if (!isOpen || depth > DEEPEST || rows.length > 20000) return;
    const { rows: children } = await link.ask({ do: "children", pid: p.pid }).catch(() => ({ rows: [] }));
    for (const c of children) await add(c, depth + 1);
  };
  const { rows: roots } = await link.ask({ do: "children" });
  for (const p of roots) {
    if (isFirst) open.add(p.pid);
    await add(p, 0);
  }
  return rows;
}

export function Tree({ kept }) {
  const { link, frozen, openProcess } = useObserver();
  const [rows, setRows] = useState(null);
  const [selected, select] = useState(0);
  const [top, scrollTo] = useState(0);
  const [turn, again] = useState(0);
  const open = (kept.current ??= new Set());
  useEffect(() => {
    if (frozen && rows) return;
    let over = false, timer;
    const ask = async () => {
      try {
        const next = await branches(link, open, !open.size);
        if (!over) setRows(next);
      } catch {
        // link says so to everyone
      }
      if (!over) timer = setTimeout(ask, Math.max(1000, settings.interval));
    };
    ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [frozen, turn]);
  const toggle = (row, want = !row.isOpen) => {
    if (want && open.size < MOST_OPEN) open.add(row.pid);
    else open.delete(row.pid);
    again((n) => n + 1);
  };
  useKeys((key) => {
    const row = rows?.[selected];
    if (key === "ArrowRight" && row) toggle(row, true);
    else if (key === "ArrowLeft" && row) toggle(row, false);
    else return false;
    return true;
  });
  const columns = [
    {
      key: "name", title: "process", width: "minmax(180px, 2fr)",
      cell: (p) => (
        <span style={{ paddingLeft: `${p.depth * 18}px` }}>
          <button class="twig" onClick={() => toggle(p)}>{p.isOpen ? "▾" : "▸"}</button>
          <span class={p.name ? "named" : ""}>{nameOf(p)}</span>
        </span>
      ),
    },
    { key: "pid", title: "pid", width: "138px", style: "mono", cell: (p) => p.pid },
    { key: "state", title: "state", width: "minmax(104px, .8fr)", tip: (p) => p && `${p.state} ${p.waits_for ?? ""}`, cell: (p) => <State p={p} /> },
    { key: "reds", title: "reductions", width: "76px", right: true, style: "mono", cell: (p) => count(p.reds) },
    { key: "memory", title: "memory", width: "84px", right: true, style: "mono", cell: (p) => bytes(p.memory) },
    { key: "msgq", title: "queue", width: "56px", right: true, style: "mono", cell: (p) => count(p.msgq) },
    { key: "restarts", title: "restarts", width: "160px", hint: "of a supervisor: all since it started; those it remembers, of how many it allows in which time",
      cell: (p) => p.restarts && <span class={p.restarts.count ? "lint" : ""}>{grouped(p.restarts.total)}; {p.restarts.count} in {p.restarts.period_s} s (max {p.restarts.intensity})</span> },
    { key: "fn", title: "where", width: "minmax(140px, 1fr)", style: "mono", tip: (p) => p?.fn, cell: (p) => p.fn },
    { key: "lint", title: "warnings", width: "minmax(150px, 1fr)", tip: (p) => p?.lint?.join(", "), cell: (p) => p.lint?.map((l) => <span class="lint">{l}</span>) },
  ];
  return (
    <Table
      name="tree"
      columns={columns}
      count={rows?.length ?? 0}
      rowAt={(k) => rows?.[k]}
      selected={selected}
      onSelect={select}
      scroll={{ top }}
      onScroll={scrollTo}
      onOpen={(p) => openProcess(p.pid)}
      empty="asking …"
    />
  );
}
