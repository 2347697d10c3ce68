// Two snapshots of the table of processes and what has changed between them. A snapshot holds the
// thousand largest by each of three columns: whoever matters is among them.
import { bytes, count } from "./units.js";

export const DIFFERENCES = [
  { key: "reds", title: "reductions", format: count },
  { key: "memory", title: "memory", format: (n) => (n < 0 ? "-" : "") + bytes(Math.abs(n)) },
  { key: "msgq", title: "queue", format: count },
];

export async function takeSnapshot(link, filter) {
  const rows = new Map();
  for (const { key } of DIFFERENCES) {
    const data = await link.ask({ do: "processes", by: key, filter, limit: 1000, deltas: false, detail: false });
    for (const p of data.rows) rows.set(p.pid, p);
  }
  return { at: new Date(), rows };
}

export function difference(before, now) {
  const out = [];
  for (const [pid, p] of now.rows) {
    const b = before.rows.get(pid);
    const row = { ...p, id: pid, fate: b ? "" : "new" };
    for (const { key } of DIFFERENCES) row[key] = p[key] - (b?.[key] ?? 0);
    if (!b || DIFFERENCES.some((d) => row[d.key])) out.push(row);
  }
  for (const [pid, b] of before.rows) {
    if (now.rows.has(pid)) continue;
    const row = { ...b, id: pid, fate: "gone", tone: "faded" };
    for (const { key } of DIFFERENCES) row[key] = -b[key];
    out.push(row);
  }
  return out;
}
