// View 2: the table of processes. The machine sorts and filters, and is asked for what is seen, so a
// million are as quick as ten. `d` keeps a snapshot, `d` again shows what has changed since.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { difference, DIFFERENCES, takeSnapshot } from "./difference.js";
import { useAsked, useKeys, useObserver } from "./hooks.js";
import { List } from "./list.jsx";
import { settings } from "./socket.js";
import { ROW, Table } from "./table.jsx";
import { bytes, count, duration, grouped, percent, signed } from "./units.js";

const WINDOW = 100; // rows asked for at a time
const REACH = 10000; // rows the machine keeps for us
const ORDERS = ["dreds", "reds", "memory", "msgq", "dmsgq", "wait", "wait50", "migrations", "gc", "dgc", "priority", "state", "name", "fn", "pid"];
const UP = ["pid", "name", "fn"]; // begin with the least

export const nameOf = (p) => p.name || p.label || p.initial || "";

export function State({ p }) {
  const state = p.state === "garbage_collecting" ? "collecting" : p.state;
  return (
    <span class={`state ${state}`}>
      {state}
      {p.waits_for && <small> {p.waits_for}</small>}
    </span>
  );
}

const columns = (seconds) => [
  { key: "pid", title: "pid", width: "138px", sortable: true, style: "mono", cell: (p) => p.pid },
  { key: "name", title: "name, label or start", width: "minmax(120px, 1.2fr)", sortable: true, hint: "sorted by name or start", cell: (p) => <span class={p.name ? "named" : ""}>{nameOf(p)}</span> },
  { key: "state", title: "state", width: "minmax(110px, .9fr)", sortable: true, cell: (p) => <State p={p} /> },
  { key: "dreds", title: "reds/s", width: "72px", right: true, sortable: true, style: "mono", hint: "reductions a second, since the last tick",
    cell: (p) => (seconds && p.dreds != null ? count(p.dreds / seconds) : "–") },
  { key: "reds", title: "reductions", width: "84px", right: true, sortable: true, style: "mono", cell: (p) => count(p.reds) },
  { key: "memory", title: "memory", width: "88px", right: true, sortable: true, style: "mono", hint: "after its last collection", cell: (p) => bytes(p.memory) },
  { key: "msgq", title: "queue", width: "64px", right: true, sortable: true, style: "mono", cell: (p) => count(p.msgq) },
  { key: "dmsgq", title: "growth", width: "64px", right: true, sortable: true, style: "mono", hint: "of the queue, since the last tick",
    cell: (p) => (p.dmsgq ? signed(p.dmsgq) : "") },
  { key: "fn", title: "where", width: "minmax(140px, 1.4fr)", sortable: true, style: "mono", cell: (p) => <>{p.fn}{p.line ? <small>:{p.line}</small> : ""}</> },
  { key: "lint", title: "warnings", width: "minmax(120px, 1.2fr)", cell: (p) => p.lint?.map((l) => <span class="lint">{l}</span>) },
  ...[["wait", "99 % wait", "wait_p99_ns"], ["wait50", "50 % wait", "wait_p50_ns"]].map(([key, title, field]) => ({ key, title, width: "80px", right: true, sortable: true, style: "mono",
    hint: "in a run queue; estimated from some wake-ups while somebody looks", cell: (p) => (p[field] != null ? duration(p[field]) : "") })),
  { key: "migrations", title: "moves", width: "60px", right: true, sortable: true, style: "mono", hint: "times it ran on another scheduler than before", cell: (p) => count(p.migrations) },
  { key: "gc", title: "GC", width: "72px", right: true, sortable: true, style: "mono", hint: "time in collections", cell: (p) => (p.gc_ns ? duration(p.gc_ns) : "") },
  { key: "dgc", title: "in GC", width: "60px", right: true, sortable: true, style: "mono", hint: "share of its time in collections, since the last tick; measured once it is sorted by",
    cell: (p) => (seconds && p.dgc_ns != null ? percent(p.dgc_ns / 1e9 / seconds) : "") },
  { key: "priority", title: "priority", width: "64px", sortable: true, cell: (p) => (p.priority && p.priority !== "normal" ? p.priority : "") },
];

const differenceColumns = [
  { key: "pid", title: "pid", width: "138px", style: "mono", value: (p) => p.pid, cell: (p) => p.pid },
  { key: "name", title: "name, label or start", width: "minmax(120px, 1fr)", value: nameOf, cell: (p) => <span class={p.name ? "named" : ""}>{nameOf(p)}</span> },
  { key: "fate", title: "", width: "70px", value: (p) => p.fate, cell: (p) => <span class={`fate ${p.fate}`}>{p.fate}</span> },
  ...DIFFERENCES.map((d) => ({ key: d.key, title: `Δ ${d.title}`, width: "100px", right: true, style: "mono", value: (p) => Math.abs(p[d.key]),
    cell: (p) => <span class={p[d.key] > 0 ? "grew" : p[d.key] < 0 ? "shrank" : ""}>{p[d.key] ? (p[d.key] > 0 ? "+" : "") + d.format(p[d.key]) : ""}</span> })),
  { key: "fn", title: "where", width: "minmax(140px, 1fr)", style: "mono", value: (p) => p.fn || "", cell: (p) => p.fn },
];

function Differences({ base, filter, onBack }) {
  const { link, openProcess } = useObserver();
  const [rows, set] = useState(null);
  useEffect(() => {
    takeSnapshot(link, filter).then((now) => set(difference(base, now)), () => onBack());
  }, [base]);
  return (
    <>
      <div class="bar">
        <b>What has changed since {base.at.toLocaleTimeString("en-GB")}</b>
        <span class="note">the largest {base.rows.size} then and now by reductions, memory and queue</span>
        <span class="grow" />
        <button onClick={onBack}>
          back <kbd>d</kbd>
        </button>
      </div>
      <List columns={differenceColumns} rows={rows || []} sort="reds" onOpen={(p) => openProcess(p.pid)} empty={rows ? "nothing has changed" : "asking …"} />
    </>
  );
}

export function Processes({ kept }) {
  const { openProcess, frozen, link } = useObserver();
  const [s, setState] = useState(kept.current || { by: "dreds", ascending: false, filter: settings.filter, top: 0, selected: 0, from: 0 });
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
  const sort = (by) => set({ by, ascending: s.by === by ? !s.ascending : UP.includes(by), top: 0, selected: 0, from: 0 });
  const step = (by) => ORDERS[(ORDERS.indexOf(s.by) + by + ORDERS.length) % ORDERS.length];
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
  const cols = useMemo(() => columns(seconds), [seconds]);
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
