// What schedulers did, from their event rings: spans of running, collecting and sleeping. The same as
// tools/observer/timeline.cc.

// These happen in the middle of a slice.
const WITHIN = new Set(["spawn", "woke", "load", "compile", "native_begin", "native_end"]);

export class Timeline {
  lanes = []; // of { spans: [{ kind, begin, end, who }], instants: [{ at, what, argument }] }
  now = 0;
  newest = 0; // event
  #open = [];
  next = [];

  /** Adds an answer to `events`. */
  add(data) {
    this.now = data.now_ns;
    data.schedulers.forEach((s, k) => {
      const lane = (this.lanes[k] ??= { spans: [], instants: [] });
      const lost = s.next - s.events.length > (this.next[k] ?? 0); // overwritten before they were read
      if (lost || !this.#open[k]) this.#open[k] = { last: 0, asleep: false, who: "" };
      for (const [at, kind, argument] of s.events) this.#event(lane, this.#open[k], at, data.kinds[kind], argument);
      this.next[k] = s.next;
    });
    this.newest = Math.max(this.newest, ...this.#open.map((o) => o.last));
    this.#forget(this.now - 30e9);
  }

  #event(lane, open, at, kind, argument) {
    const since = open.last;
    if (!WITHIN.has(kind)) open.last = at;
    const span = (kind, who) => since && lane.spans.push({ kind, begin: since, end: at, who });
    if (kind === "parked" || kind === "requeued" || kind === "gone") span("run", argument);
    else if (kind === "collect_begin") span("run", (open.who = argument));
    else if (kind === "collect_end") span("collect", open.who);
    else if (kind === "asleep") open.asleep = true;
    else if (kind === "awake") {
      if (open.asleep) span("sleep", "");
      open.asleep = false;
    } else lane.instants.push({ at, what: kind, argument });
  }

  #forget(before) {
    for (const lane of this.lanes) {
      if (lane.spans.length > 200000 || lane.spans[0]?.end < before) lane.spans = lane.spans.slice(-150000).filter((s) => s.end >= before);
      if (lane.instants[0]?.at < before) lane.instants = lane.instants.filter((i) => i.at >= before);
    }
  }
}

/** JSON of the Trace Event Format, for ui.perfetto.dev and speedscope. */
export function perfetto(timeline, title) {
  let begin = timeline.now;
  for (const { spans, instants } of timeline.lanes) {
    begin = Math.min(begin, spans[0]?.begin ?? begin, instants[0]?.at ?? begin);
  }
  const us = (ns) => (ns - begin) / 1000;
  const head = (ph, name, lane) => ({ ph, name, pid: 1, tid: lane + 1 });
  const names = { collect: "collection", sleep: "asleep" };
  const traceEvents = [{ ...head("M", "process_name", 0), args: { name: title } }];
  timeline.lanes.forEach(({ spans, instants }, k) => {
    traceEvents.push({ ...head("M", "thread_name", k), args: { name: `scheduler ${k + 1}` } });
    for (const s of spans) {
      traceEvents.push({ ...head("X", names[s.kind] || s.who, k), ts: us(s.begin), dur: (s.end - s.begin) / 1000, args: { process: s.who } });
    }
    for (const i of instants) traceEvents.push({ ...head("i", i.what, k), ts: us(i.at), s: "t", args: { argument: i.argument } });
  });
  return JSON.stringify({ displayTimeUnit: "ns", traceEvents });
}
