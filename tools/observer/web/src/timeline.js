// What schedulers did, from their event rings: spans of running, collecting and sleeping. The same as
// tools/observer/timeline.cc.

// These happen in the middle of a slice.
const WITHIN = new Set(["spawn", "woke", "load", "compile", "native_begin", "native_end"]);

/** The first span that ends after `ns`. */
export function search(spans, ns) {
  let low = 0, high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle].end < ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Timeline {
  lanes = []; // of { spans: [{ kind, begin, end, who }], instants: [{ at, what, argument }] }
  now = 0;
  newest = 0; // event
  names = new Map(); // of processes, by pid
  arrows = []; // of { begin, end, from, to, fromLane, toLane, count }, in order of end
  newestMessage = 0;
  #open = [];
  next = [];

  /** Adds an answer to `events`. */
  add(data) {
    this.now = data.now_ns;
    data.schedulers.forEach((s, k) => {
      const lane = (this.lanes[k] ??= { spans: [], instants: [] });
      // lost: overwritten before they were read
      if (s.lost || !this.#open[k]) this.#open[k] = { last: 0, asleep: false, who: "" };
      for (const [at, kind, argument] of s.events) this.#event(lane, this.#open[k], at, data.kinds[kind], argument);
      this.next[k] = s.next;
    });
    if (this.names.size > 100000) this.names.clear();
    for (const [pid, name] of data.names || []) this.names.set(pid, name);
    this.#messages(data.messages || []);
    this.newest = Math.max(this.newest, ...this.#open.map((o) => o.last));
    this.#forget(this.now - 30e9);
  }

  /** A pid, behind the name of that process if it is known. */
  named(pid) {
    const name = this.names.get(pid);
    return name ? `${name} ${pid}` : pid;
  }

  /** From where the sender last ran to where the receiver ran when it took the message. */
  #messages(messages) {
    for (const [end, from, to, count] of messages) {
      this.newestMessage = Math.max(this.newestMessage, end);
      const arrow = { begin: 0, end, from, to, fromLane: 0, toLane: -1, count };
      this.lanes.forEach(({ spans }, k) => {
        const after = search(spans, end);
        if (spans[after]?.begin <= end && spans[after].who === to) arrow.toLane = k;
        for (let i = after - 1; i >= 0 && i > after - 1000; --i) {
          if (spans[i].kind !== "run" || spans[i].who !== from) continue;
          if (spans[i].end > arrow.begin) (arrow.begin = spans[i].end), (arrow.fromLane = k);
          break;
        }
      });
      if (arrow.toLane >= 0 && arrow.begin) this.arrows.push(arrow);
    }
  }

  #event(lane, open, at, kind, argument) {
    const since = open.last;
    if (!WITHIN.has(kind)) open.last = at;
    const span = (kind, who) => since && since < at && lane.spans.push({ kind, begin: since, end: at, who });
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
    if (this.arrows.length > 20000 || this.arrows[0]?.end < before) this.arrows = this.arrows.slice(-15000).filter((a) => a.end >= before);
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
      traceEvents.push({ ...head("X", names[s.kind] || timeline.named(s.who), k), ts: us(s.begin), dur: (s.end - s.begin) / 1000, args: { process: s.who } });
    }
    for (const i of instants) traceEvents.push({ ...head("i", i.what, k), ts: us(i.at), s: "t", args: { argument: i.argument } });
  });
  timeline.arrows.forEach((a, id) => {
    const end = (ph, lane, ns) => ({ ...head(ph, "message", lane), cat: "message", id, bp: "e", ts: us(ns) });
    traceEvents.push(end("s", a.fromLane, a.begin - 1), end("f", a.toLane, a.end));
  });
  return JSON.stringify({ displayTimeUnit: "ns", traceEvents });
}
