// A story as a sequence diagram: which row each event stands in, and what is drawn between rows. A message goes at once to
// its receiver, waits in the mailbox, at the left of the lifeline, and enters where it is received.

const LEAP = 1e6; // ns that are worth a row

const byPath = (a, b) => {
  const x = a.path.split(".").slice(1).map(Number), y = b.path.split(".").slice(1).map(Number);
  for (let k = 0; k < Math.min(x.length, y.length); ++k) if (x[k] !== y[k]) return x[k] - y[k];
  return x.length - y.length;
};

/** What is kept of an operation's kind is its colour. */
const SORTS = [
  ["data", /^(ets|persistent_term|atomics|counters|erts_internal:counters)/],
  ["timer", /^erlang:(send_after|start_timer|cancel_timer|read_timer)/],
  ["name", /^erlang:(register|unregister|whereis|registered)/],
  ["life", /^erlang:(spawn|exit|halt|link|unlink|monitor|demonitor|process_flag|process_info|is_process_alive|processes|unalias)/],
];
export const sortOf = (e) => (e.kind === "spawns" ? "life" : SORTS.find(([, pattern]) => pattern.test(e.text ?? ""))?.[0] ?? "");

/** An arrow's line and colour, by what it comes of. */
const arrowKind = (e) => (e.kind === "sends" ? "message" : e.kind === "calls" ? (sortOf(e) === "timer" ? "timer" : "signal") : e.kind === "spawns" ? "spawn" : "end");

/** Where messages wait at once, each has a track of its own beside the lifeline. */
function giveTracks(arrows) {
  const tracks = new Map(); // by column: until which row each is taken
  for (const a of arrows) {
    if (a.end === a.begin) continue;
    const taken = tracks.get(a.to) ?? tracks.set(a.to, []).get(a.to);
    let k = taken.findIndex((until) => until <= a.begin);
    if (k < 0) k = Math.min(taken.length, 5);
    taken[k] = Math.max(a.end, taken[k] ?? 0);
    a.track = k;
  }
}

export class Diagram {
  columns = []; // lifelines from left to right: { path, pid, name, born, died }
  rows = []; // { event }, { leap: ns } or { gap: events }
  arrows = []; // { kind, begin, end, from, to, open }: rows and columns, in order of begin
  marks = []; // rows of switches and faults
  #row = new Map(); // by an event's number
  #names; // paths by pid

  constructor({ lifelines, events }) {
    this.columns = lifelines.map((l, k) => ({ ...l, k, born: Infinity, died: null })).sort(byPath);
    const column = [];
    this.columns.forEach((c, k) => (column[c.k] = k));
    this.#names = new Map(this.columns.map((c) => [c.pid, c.path]));
    let number = 0, now = 0, before = null;
    for (const e of events) {
      if (e.number > number + 1) this.rows.push({ gap: e.number - number - 1 });
      const at = e.at_ns ?? 0;
      if (at - now >= LEAP && before?.kind !== "clock") this.rows.push({ leap: at - now });
      if (before?.kind === "clock") this.rows.at(-1).event.moved_ns = Math.max(before.moved_ns ?? 0, at - now); // until a timer fired
      number = e.number;
      now = at;
      before = e;
      this.#add({ ...e, column: column[e.process] ?? -1, other: column[e.to] ?? -1 });
    }
    for (const c of this.columns) if (c.born === Infinity) c.born = 0;
    this.#addOpen();
    this.arrows.sort((a, b) => a.begin - b.begin);
    giveTracks(this.arrows);
  }

  #add(event) {
    const row = this.rows.length;
    this.rows.push({ event });
    this.#row.set(event.number, row);
    const { kind, column, other } = event;
    const own = this.columns[column];
    if (own && own.born > row) own.born = row;
    if (kind === "spawns" && other >= 0) this.columns[other].born = Math.min(row, this.columns[other].born);
    if (own && (kind === "ends" || kind === "dies")) own.died = row;
    if (kind === "switches" || kind === "fault") this.marks.push(row);
    if (kind === "spawns" && other >= 0) this.arrows.push({ kind: "spawn", begin: row, end: row, from: column, to: other });
    if (kind !== "receives" || column < 0) return;
    const sent = this.rows[this.#row.get(event.from)]?.event;
    if (!sent) return this.arrows.push({ kind: "message", begin: row, end: row, from: -1, to: column });
    sent.received = event.number;
    this.arrows.push({ kind: arrowKind(sent), begin: this.#row.get(sent.number), end: row, from: sent.column, to: column });
  }

  /** What nobody has received, what goes to others than the program's processes, and what concerns another without a message. */
  #addOpen() {
    this.rows.forEach(({ event: e }, row) => {
      if (!e || e.received || e.kind === "spawns" || (e.kind !== "sends" && e.other < 0)) return;
      if (e.kind === "calls" && e.other === e.column) return;
      this.arrows.push({ kind: e.kind === "sends" ? "message" : "signal", begin: row, end: row, from: e.column, to: e.other, open: e.other >= 0 });
    });
  }

  rowOf(number) {
    return this.#row.get(number);
  }
  /** The other end of what is sent or received; undefined: there is none. */
  otherEnd(event) {
    return this.rowOf(event.received ?? event.from);
  }

  /** A text of the program, short: processes by their paths, references by their last number. */
  short(text = "") {
    return text.slice(0, 300).replace(/<\d+\.\d+\.\d+>/g, (pid) => (this.#names.has(pid) ? `‹${this.#names.get(pid)}›` : pid)).replace(/#Ref<[\d.]*?(\d+)>/g, "#Ref<…$1>");
  }

  /** What an event's box says: [what, result]. */
  label(e) {
    if (e.kind === "sends" || e.kind === "receives") return [this.short(e.message)];
    if (e.kind === "times_out") return ["its time is up"];
    if (e.kind === "ends") return ["ends"];
    if (e.kind === "dies") return [e.text ? `ends with ${this.short(e.text)}` : "ends"];
    const text = this.short(e.text?.replace(/^erlang:/, ""));
    if (e.kind === "spawns" && e.other >= 0) return [`${text.split("(")[0]} ‹${this.columns[e.other].path}›`];
    return [text, this.short(e.result)];
  }

  /** The row after `from`, or before it, whose event has a text in it, round the end. */
  find(text, from) {
    const wanted = text.toLowerCase(), n = this.rows.length;
    for (let k = 1; k <= n; ++k) {
      const row = (from + k + n) % n, e = this.rows[row].event;
      if (e && [e.place, e.text, e.message, e.target, e.result, this.columns[e.column]?.path, e.name].some((t) => t?.toLowerCase().includes(wanted))) return row;
    }
    return -1;
  }
}
