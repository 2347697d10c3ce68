// Two moments and what has changed between them: of processes, and of everything that is counted (the
// terminal's difference.cc). A snapshot of processes holds the thousand largest by each of four columns: whoever
// matters is among them.
import { bytes, count, duration, signed } from "./units.js";

const signedBytes = (n) => signed(n, bytes);
export const DIFFERENCES = [
  { key: "reds", title: "reductions", format: signed },
  { key: "memory", title: "memory", format: signedBytes },
  { key: "msgq", title: "queue", format: signed },
  { key: "binaries", title: "binaries", format: signedBytes },
];
const FEW = { deltas: false, detail: false };
const ageOf = (pid) => Number(/\.(\d+)>$/.exec(pid)?.[1] ?? 0);

export async function takeSnapshot(link, filter) {
  const rows = new Map();
  const last = await link.ask({ do: "processes", by: "pid", ascending: false, limit: 1, ...FEW });
  for (const { key } of DIFFERENCES) {
    const data = await link.ask({ do: "processes", by: key, filter, limit: 1000, ...FEW });
    for (const p of data.rows) rows.set(p.pid, p);
  }
  return { at: new Date(), rows, newest: ageOf(last.rows[0]?.pid) };
}

/** Who is not among those with most any more is asked for: it may be there still. */
export async function difference(link, before, now) {
  const rows = new Map(now.rows);
  for (const pid of [...before.rows.keys()].filter((pid) => !rows.has(pid)).slice(0, 500)) {
    const data = await link.ask({ do: "processes", filter: `pid=${pid}`, limit: 1, ...FEW });
    for (const p of data.rows) rows.set(p.pid, p);
  }
  const out = [];
  for (const [pid, p] of rows) {
    const b = before.rows.get(pid);
    const row = { ...p, id: pid, fate: b ? "" : ageOf(pid) > before.newest ? "new" : "rose" };
    for (const { key } of DIFFERENCES) row[key] = (p[key] ?? 0) - (b?.[key] ?? 0);
    if (!b || DIFFERENCES.some((d) => row[d.key])) out.push(row);
  }
  for (const [pid, b] of before.rows) {
    if (rows.has(pid)) continue;
    const row = { ...b, id: pid, fate: "gone", tone: "faded" };
    for (const { key } of DIFFERENCES) row[key] = -(b[key] ?? 0);
    out.push(row);
  }
  return out;
}

/** How people read a number of `home`. */
function formOf(group, name) {
  if (name.endsWith("_us")) return (n) => duration(n * 1e3);
  if (name.endsWith("_ns")) return duration;
  return group === "memory" || group === "os" || name.includes("bytes") ? bytes : count;
}

/** Kinds of memory, counts and counters of two answers to `home`; of counters only those that have changed. */
export function countedDifference(before, now) {
  const rows = [], seconds = (now.uptime_ns - before.uptime_ns) / 1e9;
  const add = (group, name, title, was = 0, is = 0) =>
    (is !== was || group !== "counters") &&
    rows.push({ id: `${group} ${name}`, group, title, was, is, by: is - was, rate: seconds > 0 ? (is - was) / seconds : 0, form: formOf(group, name), tone: is === was ? "faded" : "" });
  for (const name of ["resident", "user_us", "system_us"]) add("os", name, name, before.os[name], now.os[name]);
  for (const name in now.memory) add("memory", name, name === "total" ? "memory, total" : name, before.memory[name], now.memory[name]);
  for (const name in now.counts) add("counts", name, name in now.memory ? `${name}, number` : name, before.counts[name]?.now, now.counts[name].now);
  for (const name in now.counters) add("counters", name, name, before.counters[name], now.counters[name]);
  return rows;
}
