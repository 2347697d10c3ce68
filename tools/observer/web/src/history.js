// The last minutes of `home`, as curves. Kept whatever view is shown.
import { useEffect, useRef, useState } from "preact/hooks";
import { settings } from "./socket.js";

const MOST = 600;
const RATES = ["reductions", "messages", "spawns", "collections", "major_collections", "steals", "wakes"];

function values(now, before) {
  const seconds = (now.uptime_ns - before.uptime_ns) / 1e9;
  const rate = (name) => (now.counters[name] - before.counters[name]) / seconds;
  const out = {
    queued: now.schedulers.reduce((n, s) => n + s.queue, 0),
    resident: now.os.resident,
    heaps: now.memory.heaps,
    binaries: now.memory.binaries,
    processes: now.counts.processes.now,
    in: rate("bytes_in") + rate("file_bytes_in"),
    out: rate("bytes_out") + rate("file_bytes_out"),
    collecting: rate("pause_ns") / 1e9 / now.schedulers.length,
    observer: (now.observer.cpu_ns - before.observer.cpu_ns) / 1e9 / seconds,
  };
  for (const name of RATES) out[name] = rate(name);
  let all = 0;
  now.schedulers.forEach((s, k) => {
    const active = s.active_ns - (before.schedulers[k]?.active_ns ?? s.active_ns);
    const use = Math.max(0, Math.min(100, active / seconds / 1e7));
    out[`use ${s.number}`] = use;
    all += use / now.schedulers.length;
  });
  out.use = all;
  return out;
}

export class History {
  now = null;
  times = [];
  curves = {};
  minute = []; // what there was in the last one

  /** How much a count or a kind of memory has grown in so many seconds, or null. */
  growth(group, name, seconds) {
    const last = this.minute.at(-1), then = this.minute.findLast((a) => a.at <= last.at - seconds * 0.99);
    return then ? last[group][name] - then[group][name] : null;
  }

  add(now) {
    const before = this.now;
    const next = Object.assign(new History(), { now });
    if (!before || now.uptime_ns < before.uptime_ns) return next; // another machine
    if (now.uptime_ns === before.uptime_ns) return this;
    const counts = Object.fromEntries(Object.entries(now.counts).map(([name, c]) => [name, c.now]));
    next.minute = [...this.minute, { at: now.uptime_ns / 1e9, memory: now.memory, counts }].filter((a) => a.at > now.uptime_ns / 1e9 - 62);
    next.times = [...this.times, now.time_ms / 1000].slice(-MOST);
    for (const [name, v] of Object.entries(values(now, before))) {
      next.curves[name] = [...(this.curves[name] || []), v].slice(-MOST);
    }
    return next;
  }
}

/** Follows the machine, each interval, also while another view is shown. */
export function useHistory(link, frozen, machine) {
  const [history, set] = useState(new History());
  const stopped = useRef(frozen);
  stopped.current = frozen;
  useEffect(() => {
    set(new History());
    if (!machine) return;
    let over = false, timer;
    let past = link.ask({ do: "past" }).then((p) => p.looks, () => []); // what was before somebody looked
    const ask = async () => {
      try {
        if (past) {
          const looks = await past;
          past = null;
          if (!over) set((h) => looks.reduce((h, look) => h.add(look), h));
        }
        const now = await link.ask({ do: "home" });
        if (!over && !stopped.current) set((h) => h.add(now));
      } catch {
        // link says so to everyone
      }
      if (!over) timer = setTimeout(ask, settings.interval);
    };
    ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [machine]);
  return history;
}
