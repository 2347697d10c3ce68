// View 4, beside what each scheduler does: where work and processes come from, how long things take,
// the newest collections.
import { useAsked, useObserver } from "./hooks.js";
import { List } from "./list.jsx";
import { Linked } from "./process.jsx";
import { bytes, count, duration } from "./units.js";

const WORD = 8;

/** A square of numbers, darker the larger. */
function Matrix({ title, schedulers, name }) {
  const rows = schedulers.filter((s) => !s.dedicated);
  const most = Math.max(1, ...rows.flatMap((s, k) => s[name].filter((_, i) => i !== k)));
  return (
    <section class="panel">
      <h3>{title}</h3>
      <div class="matrix" style={{ gridTemplateColumns: `repeat(${rows.length + 1}, minmax(44px, 1fr))` }}>
        <b />
        {rows.map((s) => <b>{s.number}</b>)}
        {rows.map((s, k) => (
          <>
            <b>{s.number}</b>
            {s[name].map((n, i) => (i === k ? <i>·</i> : <i title={`${s.number} from ${i + 1}: ${n}`} style={{ background: `color-mix(in srgb, var(--accent) ${(n / most) * 45}%, transparent)` }}>{count(n)}</i>))}
          </>
        ))}
      </div>
    </section>
  );
}

/** How often what took how long, all schedulers together. */
function Times({ title, schedulers, name }) {
  const counts = new Map();
  for (const s of schedulers) for (const [below, n] of s[name]) counts.set(below, (counts.get(below) || 0) + n);
  const rows = [...counts].sort((a, b) => a[0] - b[0]);
  const most = Math.max(1, ...counts.values());
  return (
    <section class="panel">
      <h3>{title}</h3>
      {rows.map(([below, n]) => (
        <div class="time">
          <small>&lt; {duration(below)}</small>
          <span class="room"><i style={{ width: `${(n / most) * 100}%` }} /></span>
          <small>{count(n)}</small>
        </div>
      ))}
      {!rows.length && <i>none</i>}
    </section>
  );
}

export function Moves({ schedulers }) {
  return (
    <div class="columns"><div class="flow">
      <Matrix title="work taken by (down) from (across)" schedulers={schedulers} name="taken_from" />
      <Matrix title="processes that came to (down) from (across)" schedulers={schedulers} name="came_from" />
      <Times title="from woken to running" schedulers={schedulers} name="wakeups" />
      <Times title="in a run queue (estimated)" schedulers={schedulers} name="waits" />
      <Times title="pauses of collections" schedulers={schedulers} name="pauses" />
    </div></div>
  );
}

const columns = [
  { key: "ago", title: "ago", width: "90px", right: true, style: "mono", value: (c) => c.ago, cell: (c) => duration(c.ago) },
  { key: "pid", title: "process", width: "150px", style: "mono", value: (c) => c.pid, cell: (c) => <Linked text={c.pid} /> },
  { key: "name", title: "name", width: "minmax(100px, 1fr)", value: (c) => c.name || "", cell: (c) => c.name },
  { key: "major", title: "kind", width: "70px", value: (c) => String(c.major), cell: (c) => (c.major ? "major" : "minor") },
  { key: "pause", title: "pause", width: "90px", right: true, style: "mono", value: (c) => c.pause_ns, cell: (c) => duration(c.pause_ns) },
  { key: "before", title: "before", width: "100px", right: true, style: "mono", value: (c) => c.words_before, cell: (c) => bytes(c.words_before * WORD) },
  { key: "after", title: "after", width: "100px", right: true, style: "mono", value: (c) => c.words_after, cell: (c) => bytes(c.words_after * WORD) },
  { key: "scheduler", title: "scheduler", width: "80px", right: true, style: "mono", value: (c) => c.scheduler, cell: (c) => c.scheduler },
];

export function Collections() {
  const { openProcess } = useObserver();
  const { data } = useAsked({ do: "collections", most: 500 });
  const rows = (data?.rows || []).map((c, k) => ({ ...c, id: k, ago: data.now_ns - c.end_ns }));
  return <List name="collections" columns={columns} rows={rows} sort="ago" ascending onOpen={(c) => openProcess(c.pid)} empty={data ? "none" : "asking …"} />;
}

/** Those of one process, as lines. */
export function CollectionLines({ pid }) {
  const { data } = useAsked({ do: "collections", pid, most: 50 });
  if (!data?.rows.length) return <i>none lately</i>;
  return (
    <ol class="frames">
      {data.rows.map((c) => (
        <li>
          <span>{c.major ? "major" : "minor"} {duration(c.pause_ns)}</span>
          <small>{duration(data.now_ns - c.end_ns)} ago, {bytes(c.words_before * WORD)} before, {bytes(c.words_after * WORD)} after</small>
        </li>
      ))}
    </ol>
  );
}
