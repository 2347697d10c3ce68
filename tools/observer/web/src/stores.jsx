// View 8: the tree of supervision, and what the machine keeps beside processes. Tab goes on.
import { useRef, useState } from "preact/hooks";
import { Groups } from "./groups.jsx";
import { amount, maker, owner, text } from "./columns.jsx";
import { useAsked, useKeys, useObserver } from "./hooks.js";
import { List } from "./list.jsx";
import { Linked } from "./process.jsx";
import { Tables } from "./tables.jsx";
import { Tree } from "./tree.jsx";
import { bytes, count, duration, grouped, percent } from "./units.js";

const PAGES = [
  { name: "tree" },
  { name: "tables" },
  {
    name: "modules", sort: "code_bytes",
    columns: [text("name", "name", "minmax(180px, 1fr)"), amount("code_bytes", "code", bytes), amount("literal_bytes", "literals", bytes), amount("functions", "functions", count),
      { key: "has_old", title: "", width: "90px", cell: (r) => r.has_old && <span class="lint">old code</span> }, text("path", "path", "minmax(200px, 2fr)", { style: "mono" })],
  },
  {
    name: "ports", sort: "id",
    columns: [text("id", "id", "110px", { style: "mono" }), text("name", "program or socket", "minmax(140px, 1fr)"), text("about", "addresses", "minmax(200px, 2fr)", { style: "mono" }), owner, text("os_pid", "os pid", "90px", { style: "mono" }),
      amount("bytes_in", "in", bytes), amount("bytes_out", "out", bytes), amount("queue", "queued", bytes)],
  },
  {
    name: "flow", request: "flows", sort: "rate",
    columns: [text("from", "from", "minmax(180px, 1fr)"), text("to", "to", "minmax(180px, 1fr)"), amount("rate", "messages/s", count), amount("margin", "±", count), amount("bytes", "bytes/s", bytes), amount("size", "a message", bytes)],
  },
];

PAGES.push({
  name: "memory", sort: "lost",
  columns: [amount("size", "size", bytes), text("kind", "kind", "90px"), amount("objects", "objects", grouped, { width: "110px" }), amount("live", "in use", bytes), amount("held", "held", bytes),
    amount("lost", "lost", bytes), amount("share", "share lost", percent)],
});
const FLOW = PAGES.length - 2, MEMORY = PAGES.length - 1;
PAGES.push({ name: "terms", request: "persistent_terms", title: "persistent terms", sort: "name", columns: [text("name", "key", "minmax(180px, 1fr)", { style: "mono" }), text("value", "value", "minmax(240px, 3fr)", { style: "mono" })] });
PAGES.push({ name: "atoms", sort: "number", columns: [text("name", "the newest atoms", "minmax(240px, 1fr)", { style: "mono" }), { key: "number", title: "made", width: "110px", right: true, style: "mono", value: (r) => r.number, cell: (r) => (r.age_ns != null ? `${duration(r.age_ns)} ago` : "") }, maker("maker", "by", (r) => r.maker)] });
PAGES.push({
  name: "timers", sort: "count",
  columns: [maker("maker", "started by", (r) => r), amount("count", "timers", grouped), amount("bytes", "messages", bytes),
    { key: "to", title: "for", width: "minmax(140px, 1fr)", value: (r) => r.to_name || r.to, cell: (r) => <><Linked text={r.to} /> {r.to_name}</> },
    amount("first_ms", "the next in", (ms) => duration(ms * 1e6)), amount("last_ms", "the last in", (ms) => duration(ms * 1e6))],
});
PAGES.push({
  name: "nodes", sort: "name",
  columns: [text("name", "node", "minmax(180px, 1fr)"), text("state", "state", "90px"), { key: "busy", title: "", width: "70px", cell: (r) => r.busy && <span class="lint">busy</span> }, amount("bytes_in", "in", bytes), amount("bytes_out", "out", bytes),
    amount("packets_in", "packets in", count), amount("packets_out", "packets out", count), amount("queued_bytes", "queued", bytes), amount("senders_waiting", "senders wait", count), amount("links", "links", count), amount("monitors", "monitors", count), amount("monitored_by", "monitored by", count),
    text("controller", "controller", "110px", { style: "mono", cell: (r) => <Linked text={r.controller} /> })],
});
PAGES.push({ name: "groups" });
const GROUPS = PAGES.length - 1, TABLES = 1;
export const PAGE_NAMES = PAGES.map((p) => p.name);
/** The page that shows what a request answers, or -1. */
export const pageOf = (request) => PAGES.findIndex((p) => (p.request || p.name) === request);
const has = (page) => page > 0 && page !== FLOW && page !== MEMORY; // rows as they are

/** What malloc holds, by size: what is not in use is fragmentation. */
function Memory({ page }) {
  const { data } = useAsked({ do: "allocators" });
  const rows = (data?.rows || []).map((r) => ({ ...r, id: `${r.kind} ${r.size}`, lost: r.held - r.live, share: (r.held - r.live) / r.held }));
  return (
    <>
      {data?.active > 0 && (
        <p class="note line">
          {data.allocator}: {bytes(data.allocated)} in use, in pages {bytes(data.active)} ({percent((data.active - data.allocated) / data.active)} lost to fragmentation), its own {bytes(data.metadata)},
          resident {bytes(data.resident)}, given back {bytes(data.retained)}
        </p>
      )}
      <List name={page.name} columns={page.columns} rows={rows} sort={page.sort} empty={data ? "this malloc tells nothing of itself" : "asking …"} />
    </>
  );
}

function Rows({ page }) {
  const { openProcess } = useObserver();
  const { data } = useAsked({ do: page.request || page.name, limit: 5000 });
  const rows = (data?.rows || []).map((r, k) => ({ ...r, id: `${r.id ?? r.name}/${k}` }));
  return <List key={page.name} name={page.name} columns={page.columns} rows={rows} sort={page.sort} onOpen={(r) => [r.owner, r.pid, r.maker?.pid].find((p) => p?.startsWith("<") && (openProcess(p), true))} empty={data ? "none" : "asking …"} />;
}

/** Who writes to whom, in the last five seconds, as rates are estimated from few messages. */
function Flow({ page, by }) {
  const looks = useRef([]);
  const { data } = useAsked({ do: "flows", by }, undefined, () => ({ from: looks.current[0]?.next ?? [] }));
  const seen = useRef({ data: null, rows: null });
  if (data && data !== seen.current.data) {
    const [first] = looks.current;
    const seconds = first && (data.now_ns - first.now_ns) / 1e9;
    seen.current = { data, rows: seconds && data.rows.map((r) => ({ ...r, id: `${r.from} ${r.to}`, rate: r.messages / seconds, margin: r.margin / seconds, bytes: r.bytes / seconds, size: r.messages ? r.bytes / r.messages : 0 })) };
    looks.current = [...looks.current, data].filter((d) => data.now_ns - d.now_ns < 5e9);
  }
  const { rows } = seen.current;
  return <List name={page.name} columns={page.columns} rows={rows || []} sort={page.sort} empty={rows ? "none" : "asking …"} />;
}

export function Stores({ page, onPage, kept }) {
  const [by, setBy] = useState("name");
  const turn = () => setBy(by === "name" ? "application" : "name");
  const { data } = useAsked(has(page) ? { do: PAGES[page].request || PAGES[page].name, limit: 1 } : null);
  useKeys((key, event) => {
    if (key === "a" && page === FLOW) return turn(), true;
    if (key !== "Tab") return false;
    onPage((page + (event.shiftKey ? PAGES.length - 1 : 1)) % PAGES.length);
    return true;
  });
  return (
    <>
      <div class="bar">
        <div class="tabs">
          {PAGES.map((p, k) => (
            <button class={k === page ? "on" : ""} onClick={() => onPage(k)}>{p.name}</button>
          ))}
          <kbd>Tab</kbd>
        </div>
        {page === FLOW && (
          <>
            <button onClick={turn}>by {by === "name" ? "name or start" : by} <kbd>a</kbd></button>
            <span class="note">who writes to whom: estimated from some messages, of all if there are few</span>
          </>
        )}
        {has(page) && data && (
          <span>
            <b>{grouped(data.total)}</b> {PAGES[page].title || PAGES[page].name}{data.limit && ` of ${grouped(data.limit)}`}{data.bytes != null && `, ${bytes(data.bytes)}`}{data.a_second > 0.05 && `; ${data.a_second.toFixed(1)} new a second, full in ${duration(data.left_s * 1e9)}: ${data.makers.slice(0, 3).map((m) => `${m.name} ${m.fn ?? ""}${m.line ? `:${m.line}` : ""} made ${grouped(m.atoms)}`).join(", ")}`}
          </span>
        )}
        {page === 0 && <span class="note">processes by who spawned them and is linked to them</span>}
      </div>
      {page === 0 ? <Tree kept={kept} /> : page === FLOW ? <Flow key={by} page={PAGES[page]} by={by} /> : page === MEMORY ? <Memory page={PAGES[page]} /> : page === GROUPS ? <Groups /> : page === TABLES ? <Tables /> : <Rows page={PAGES[page]} />}
    </>
  );
}
