// View 2: the table of processes. The machine sorts and filters, and is asked for what is seen, so a
// million are as quick as ten. `d` keeps a snapshot, `d` again shows what has changed since.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { difference, takeSnapshot } from "./difference.js";
import { useAsked, useKeys, useObserver } from "./hooks.js";
import { List } from "./list.jsx";
import { differenceColumns } from "./moments.jsx";
import { nameOf } from "./names.js";
import { settings } from "./socket.js";
import { ROW, Table } from "./table.jsx";
import { bytes, count, duration, grouped, percent, signed } from "./units.js";

const WINDOW = 100; // rows asked for at a time
const REACH = 10000; // rows the machine keeps for us

export function State({ p }) {
  const state = p.state === "garbage_collecting" ? "collecting" : p.state;
  return (
    <span class={`state ${state}`}>
      {state}
      {p.waits_for && <small> {p.waits_for}</small>}
    </span>
  );
}

// Columns are the machine's (vm/observe/columns.def): what is shown depends on the unit, of some on what it is.
const NUMBERS = {
  count: count,
  bytes: bytes,
  ns: (n) => (n ? duration(n) : ""),
  growth: (n) => (n ? signed(n) : ""),
  rate: (n, seconds) => (seconds ? count(n / seconds) : "–"),
  "byte rate": (n, seconds) => (n && seconds ? signed(n / seconds, bytes) : ""),
  "bytes a minute": (n) => (n ? signed(n, bytes) : ""),
  share: (n, seconds) => (seconds ? percent(n / 1e9 / seconds) : ""),
};
const CELLS = {
  name: (p) => <span class={p.name ? "named" : ""}>{nameOf(p)}</span>,
  state: (p) => <State p={{ state: p.state }} />,
  fn: (p) => <>{p.fn}{p.line ? <small>:{p.line}</small> : ""}</>,
  lint: (p) => p.lint?.length > 0 && <><span class="lint">{p.lint[0]}</span>{p.lint.length > 1 && <span class="lint">+{p.lint.length - 1}</span>}</>,
};
// What may be longer than its column is whole under the pointer.
const TIPS = { name: nameOf, fn: (p) => `${p.fn}${p.line ? `:${p.line}` : ""}`, lint: (p) => p.lint?.join(", "), initial: (p) => p.initial };
const MONO = ["pid", "fn", "initial"];

function column(c, seconds) {
  const isText = c.unit === "text";
  const known = (p) => (p[c.key] == null ? "" : NUMBERS[c.unit](p[c.key], seconds));
  const least = c.width ? Math.max(c.width * 8 + 8, c.title.length * 7 + 24) : 140;
  return {
    key: c.name, title: c.title, hint: c.hint, sortable: c.orders, right: !isText,
    width: !isText ? `${least}px` : c.name === "pid" ? "138px" : `minmax(${Math.min(least, 140)}px, ${(c.width || 40) / 20}fr)`,
    style: !isText || MONO.includes(c.key) ? "mono" : "",
    tip: (p) => p && TIPS[c.key]?.(p),
    cell: CELLS[c.key] || (isText ? (p) => p[c.key] ?? "" : known),
  };
}

function Differences({ base, filter, onBack }) {
  const { link, openProcess } = useObserver();
  const [rows, set] = useState(null);
  useEffect(() => {
    takeSnapshot(link, filter).then((now) => difference(link, base, now)).then(set, () => onBack());
  }, [base]);
  return (
    <>
      <div class="bar">
        <b>What has changed since {base.at.toLocaleTimeString("en-GB")}</b>
        <span class="note">the largest {base.rows.size} then and now by reductions, memory, queue and binaries</span>
        <span class="grow" />
        <button onClick={onBack}>
          back <kbd>d</kbd>
        </button>
      </div>
      <List name="differences" columns={differenceColumns} rows={rows || []} sort="reds" onOpen={(p) => openProcess(p.pid)} empty={rows ? "nothing has changed" : "asking …"} />
    </>
  );
}

export const allProcesses = { by: "dreds", ascending: false, filter: settings.filter, top: 0, selected: 0, from: 0 };

export function Processes({ kept }) {
  const { openProcess, frozen, link, columns } = useObserver();
  const [s, setState] = useState(kept.current || allProcesses);
  kept.current = s;
  const set = (change) => setState((old) => ({ ...old, ...change }));
  const [base, setBase] = useState(null);
  const [comparing, compare] = useState(false);
  const input = useRef(null);
  const request = { do: "processes", by: s.by, ascending: s.ascending, filter: s.filter, offset: s.from, limit: WINDOW };
  const { data, error } = useAsked(request);
  // What was seen last stays until the new rows are there; while frozen, everything that was seen does.
  const shown = useRef({ offset: 0, rows: [] });
  if (data) shown.current = data;
  const rowAt = (k) => {
    const row = shown.current.rows[k - shown.current.offset];
    return row && { ...row, id: row.pid, tone: row.lint?.length ? "warned" : "" };
  };
  const matched = Math.min(data?.matched ?? 0, REACH);
  const seconds = data?.interval_ns / 1e9;
  const sort = (by) => set({ by, ascending: s.by === by ? !s.ascending : columns.find((c) => c.name === by).least_first, top: 0, selected: 0, from: 0 });
  const orders = columns.filter((c) => c.orders).map((c) => c.name);
  const step = (by) => orders[(orders.indexOf(s.by) + by + orders.length) % orders.length];
  const shoot = () => {
    if (base) return compare((c) => (c ? (setBase(null), false) : true));
    takeSnapshot(link, s.filter).then(setBase, () => {});
  };
  useKeys((key) => {
    if (key === "s") sort(step(1));
    else if (key === "S") sort(step(-1));
    else if (key === "r") sort(s.by);
    else if (key === "/") input.current?.focus();
    else if (key === "d") shoot();
    else return false;
    return true;
  });
  const cols = useMemo(() => columns.map((c) => column(c, seconds)), [columns, seconds]);
  const onWindow = (first, last) => {
    const from = Math.max(0, Math.min(REACH - WINDOW, Math.floor((first + last) / 2 / 25) * 25 - WINDOW / 2));
    if (first < s.from || last > s.from + WINDOW || first === 0) set({ from: first === 0 ? 0 : from });
  };
  if (comparing && base) return <Differences base={base} filter={s.filter} onBack={shoot} />;
  return (
    <>
      <div class="bar">
        <b>{grouped(data?.total)}</b> processes
        <label class={`filter ${error ? "wrong" : ""}`}>
          <kbd>/</kbd>
          <input
            ref={input}
            placeholder="filter: msgq>100 & fn=gen_server:loop/7 | name~log"
            defaultValue={s.filter}
            spellcheck={false}
            onKeyDown={(e) => {
              if (e.key === "Enter") set({ filter: e.target.value, top: 0, from: 0, selected: 0 });
              if (e.key === "Escape") e.target.value = s.filter;
              if (e.key === "Enter" || e.key === "Escape") e.target.blur();
            }}
          />
        </label>
        {error ? <span class="error">{error}</span> : s.filter && <span>{grouped(data?.matched)} match</span>}
        <span class="grow" />
        {data?.matched > REACH && <span class="note">the first {grouped(REACH)} of {grouped(data.matched)}</span>}
        <button class={base ? "on" : ""} onClick={shoot}>
          {base ? `compare with ${base.at.toLocaleTimeString("en-GB")}` : "snapshot"} <kbd>d</kbd>
        </button>
      </div>
      <Table
        name="processes"
        columns={cols}
        count={matched}
        rowAt={rowAt}
        selected={s.selected}
        onSelect={(selected) => set({ selected })}
        scroll={{ top: s.top }}
        onScroll={(top) => set({ top: Math.max(0, Math.min(top, matched * ROW)) })}
        sorted={s.by}
        ascending={s.ascending}
        onSort={sort}
        onOpen={(p) => openProcess(p.pid)}
        onWindow={onWindow}
        empty={frozen && !data ? "frozen" : data ? "no process matches" : "asking …"}
      />
    </>
  );
}
