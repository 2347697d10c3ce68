// All machines of the user side by side; each leads to its own page, and Back returns.
import { Observer, useAsked } from "./hooks.js";
import { List } from "./list.jsx";
import { programOf } from "./names.js";
import { pageAddress } from "./places.js";
import { bytes, count, duration, grouped, percent } from "./units.js";

const ended = (m) => m.state === "ended";
const isNode = (m) => m.node && m.node !== "nonode@nohost";
const nameOf = (m) => programOf(m) || "–";

/** Since when it runs; else why nothing newer is known of it. */
function Up({ m }) {
  if (ended(m)) return <span class="state">ended {duration(m.ago_ns)} ago</span>;
  if (m.late_s > 1) return <span class="state suspended">no answer for {m.late_s} s</span>;
  if (m.state === "refuses") return <span class="state suspended">{m.why}</span>;
  return m.uptime_ns == null ? <span class="state">not asked yet</span> : <span class="mono">{duration(m.uptime_ns)}</span>;
}

function Part({ part, text }) {
  return (
    <>
      {part != null && <span class={`meter ${part > 0.85 ? "full" : ""}`}><i style={{ width: `${Math.min(1, part) * 100}%` }} /></span>}
      {text}
    </>
  );
}

const part = (now, limit) => (limit ? now / limit : null);
const number = (key, title, width, cell, more) => ({ key, title, width, right: true, style: "mono", value: (m) => m[key] ?? -1, cell: (m) => m[key] != null && cell(m), ...more });
const COLUMNS = [
  { key: "name", title: "program", width: "minmax(120px, 1fr)", value: nameOf, tip: (m) => m?.program,
    cell: (m) => (ended(m) ? nameOf(m) : <a class="named" href={pageAddress(m.pid)}>{nameOf(m)}</a>) },
  number("pid", "pid", "64px", (m) => m.pid),
  number("use", "load", "96px", (m) => <Part part={m.use} text={percent(m.use)} />, { hint: "of its schedulers" }),
  number("resident", "memory", "120px", (m) => <Part part={part(m.resident, m.memory_limit)} text={bytes(m.resident)} />, { hint: "resident" }),
  number("processes", "processes", "96px", (m) => <Part part={part(m.processes, m.limit)} text={count(m.processes)} />),
  number("warnings", "warnings", "76px", (m) => (m.warnings ? <span class="lint">{grouped(m.warnings)}</span> : "")),
  { key: "worst", title: "the worst", width: "minmax(170px, 3fr)", value: (m) => m.worst?.what ?? "", tip: (m) => m?.worst?.text,
    cell: (m) => m.worst && <>{m.worst.what.replaceAll("_", " ")}: {m.worst.name && `${m.worst.name}: `}{m.worst.text}</> },
  { key: "up", title: "up", width: "122px", right: true, value: (m) => m.uptime_ns ?? -1, cell: (m) => <Up m={m} />, tip: (m) => m?.why },
  number("queued", "waiting", "66px", (m) => count(m.queued), { hint: "in run queues" }),
  { key: "node", title: "node", width: "120px", value: (m) => m.node ?? "", cell: (m) => isNode(m) && m.node },
];

function Rows() {
  const { data } = useAsked({ do: "machines" }, 1000);
  const rows = (data?.machines || []).map((m) => ({
    ...m, id: `${m.pid}/${m.started_ms ?? ""}`, tone: ended(m) ? "faded" : m.warnings ? "warned" : "", ago_ns: (Date.now() - m.ended_ms) * 1e6,
    ...(ended(m) ? { warnings: null, worst: null, use: null, queued: null } : {}),
  }));
  const gone = rows.filter(ended).length, running = rows.length - gone;
  const wrong = rows.reduce((n, m) => n + (m.warnings ?? 0), 0);
  document.title = `${running} machine${running === 1 ? "" : "s"} · whitebeam`;
  return (
    <>
      <div class="bar">
        {data && <span><b>{running}</b> machine{running === 1 ? "" : "s"} of yours{gone > 0 && `, ${gone} ended`}{wrong > 0 && `, ${grouped(wrong)} warnings`}</span>}
        <span class="note">a name leads to the machine's own page, Back returns</span>
      </div>
      <List name="machines" columns={rows.some(isNode) ? COLUMNS : COLUMNS.filter((c) => c.key !== "node")} rows={rows} sort="warnings" onOpen={(m) => !ended(m) && location.assign(pageAddress(m.pid))} empty={data ? "no machine runs: whitebeam run PROGRAM" : "asking …"} />
    </>
  );
}

export function Machines({ link }) {
  return (
    <Observer.Provider value={{ link, frozen: false }}>
      <main data-view="machines"><Rows /></main>
      <footer><span class="keys">arrows, j k  move  Enter its page</span></footer>
    </Observer.Provider>
  );
}
