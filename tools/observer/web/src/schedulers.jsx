// View 4: what each scheduler did since the last look.
import { useAsked, useKeys, useObserver } from "./hooks.js";
import { List } from "./list.jsx";
import { Collections, Moves } from "./scheduler_pages.jsx";
import { count, duration, percent } from "./units.js";

const MOST = 90;

/** A bar for each of the last looks. */
function Strip({ uses }) {
  return (
    <svg class="strip" viewBox={`0 0 ${MOST} 100`} preserveAspectRatio="none">
      {uses.slice(-MOST).map((use, k, all) => (
        <rect x={MOST - all.length + k} width="0.8" y={100 - use} height={use} />
      ))}
    </svg>
  );
}

function rowOf(s, b, seconds, uses) {
  const rate = (name) => (b ? (s.counters[name] - b.counters[name]) / seconds : NaN);
  const active = b ? Math.min(1, Math.max(0, (s.active_ns - b.active_ns) / 1e9 / seconds)) : NaN;
  return {
    id: s.number, s, uses, active, rate,
    collecting: Math.max(0, rate("pause_ns") / 1e9),
    state: !s.online ? "offline" : s.asleep ? "asleep" : "runs",
  };
}

const TITLES = { reductions: "reds", messages: "msgs" };
const rates = ["slices", "reductions", "messages", "spawns", "steals", "balances", "wakes", "sleeps"];
const PRIORITIES = ["max", "high", "normal", "low"];
const columns = [
  { key: "id", title: "no", width: "44px", right: true, style: "mono", value: (r) => -r.id, cell: (r) => `${r.id}${r.s.dedicated ? "d" : ""}` },
  { key: "state", title: "state", width: "72px", value: (r) => r.state, cell: (r) => <span class={`state ${r.state === "runs" ? "running" : r.state}`}>{r.state}</span> },
  { key: "uses", title: "last looks", width: "minmax(120px, 2fr)", cell: (r) => <Strip uses={r.uses} /> },
  { key: "active", title: "use", width: "70px", right: true, style: "mono", value: (r) => r.active, cell: (r) => percent(r.active), hint: "not asleep, not spinning" },
  { key: "collecting", title: "in GC", width: "70px", right: true, style: "mono", value: (r) => r.collecting, cell: (r) => percent(r.collecting) },
  ...PRIORITIES.map((name) => ({ key: name, title: name, width: "56px", right: true, style: "mono", hint: `waiting to run, ${name} priority`, value: (r) => r.s.queues[name], cell: (r) => count(r.s.queues[name]) })),
  ...rates.map((name) => ({ key: name, title: `${TITLES[name] || name}/s`, width: "70px", right: true, style: "mono", value: (r) => r.rate(name), cell: (r) => count(r.rate(name)) })),
  { key: "longest", title: "longest GC", width: "84px", right: true, style: "mono", value: (r) => r.s.counters.longest_pause_ns, cell: (r) => duration(r.s.counters.longest_pause_ns) },
  { key: "timers", title: "timers", width: "70px", right: true, style: "mono", value: (r) => r.s.timers, cell: (r) => count(r.s.timers) },
];

/** What schedulers share: dirty pools, timers, polling. */
function Shared({ data, before, seconds }) {
  const sum = (d, name) => d.schedulers.reduce((n, s) => n + s.counters[name], 0);
  const rate = (name) => `${count(before ? (sum(data, name) - sum(before, name)) / seconds : NaN)}/s`;
  const facts = [
    ...["cpu", "io"].map((kind) => {
      const d = data.dirty[kind];
      const done = before ? (d.done - before.dirty[kind].done) / seconds : NaN;
      return [`dirty ${kind}`, `${d.threads} of ${d.online} threads, ${d.running} run, ${d.waiting} wait, ${count(done)}/s done`];
    }),
    ["timers", `${count(data.schedulers.reduce((n, s) => n + s.timers, 0))}, ${rate("timers_started")} started, ${rate("timers_cancelled")} cancelled, ${rate("timers_fired")} fired`],
    ["poll", `${data.watched_descriptors} descriptors, ${rate("polls")} looks, ${rate("io_events")} reports`],
  ];
  return (
    <p class="note line shared">
      {facts.map(([name, value]) => (
        <span>
          <b>{name}</b> {value}
        </span>
      ))}
    </p>
  );
}

const PAGES = ["use", "moves and waits", "collections"];
export const SCHEDULER_PAGES = ["", "moves", "collections"]; // in addresses

export function Schedulers({ page, onPage }) {
  const { history } = useObserver();
  const { data, before } = useAsked({ do: "schedulers" });
  useKeys((key, event) => {
    if (key !== "Tab") return false;
    onPage((page + (event.shiftKey ? PAGES.length - 1 : 1)) % PAGES.length);
    return true;
  });
  if (!data) return <div class="empty">asking …</div>;
  const seconds = before && (data.uptime_ns - before.uptime_ns) / 1e9;
  const rows = data.schedulers.map((s, k) => rowOf(s, before?.schedulers[k], seconds, history.curves[`use ${s.number}`] || []));
  return (
    <>
      <div class="bar">
        <div class="tabs">
          {PAGES.map((name, k) => (
            <button class={k === page ? "on" : ""} onClick={() => onPage(k)}>{name}</button>
          ))}
          <kbd>Tab</kbd>
        </div>
        <span><b>{rows.filter((r) => r.state === "runs").length}</b> of {rows.length} schedulers run</span>
      </div>
      {page === 0 && <Shared data={data} before={before} seconds={seconds} />}
      {page === 0 && <List name="schedulers" columns={columns} rows={rows} sort="id" />}
      {page === 1 && <Moves schedulers={data.schedulers} />}
      {page === 2 && <Collections />}
    </>
  );
}
