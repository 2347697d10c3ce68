// Sampled stacks for Go's pprof (profile.proto): `pprof -http : FILE`. Protocol buffers are simple
// enough to be written by hand: a field is its number and kind, then a number or bytes with their length.

function varint(n, out) {
  for (; n >= 128; n = Math.floor(n / 128)) out.push((n % 128) | 128);
  out.push(n);
}
const number = (field, n, out) => (varint(field * 8, out), varint(n, out));
function bytes(field, content, out) {
  varint(field * 8 + 2, out);
  varint(content.length, out);
  for (const b of content) out.push(b);
}
function message(field, write, out) {
  const content = [];
  write(content);
  bytes(field, content, out);
}
const packed = (field, numbers, out) => message(field, (m) => numbers.forEach((n) => varint(n, m)), out);

const TYPES = { reductions: ["reductions", "count"], time: ["cpu", "nanoseconds"], allocation: ["alloc_space", "bytes"] };

/** profile: an answer to `profile`. */
export function pprof(profile, now = Date.now()) {
  const strings = new Map([["", 0]]);
  const string = (s) => strings.get(s) ?? (strings.set(s, strings.size), strings.size - 1);
  const functions = new Map(); // name -> id; a location has the same id
  const out = [];
  const [type, unit] = TYPES[profile.what] || TYPES.reductions;
  const scale = profile.what === "allocation" ? 8 : 1; // words
  message(1, (m) => (number(1, string(type), m), number(2, string(unit), m)), out);
  for (const [stack, n] of profile.stacks) {
    if (!stack) continue;
    const ids = stack.split(";").map((f) => functions.get(f) ?? (functions.set(f, functions.size + 1), functions.size));
    message(2, (m) => (packed(1, ids.reverse(), m), packed(2, [n * scale], m)), out); // innermost first
  }
  for (const id of functions.values()) {
    message(4, (m) => (number(1, id, m), message(4, (line) => number(1, id, line), m)), out);
  }
  for (const [name, id] of functions) {
    message(5, (m) => (number(1, id, m), number(2, string(name), m), number(3, string(name), m)), out);
  }
  for (const s of strings.keys()) bytes(6, new TextEncoder().encode(s), out);
  number(9, now * 1e6, out);
  return new Uint8Array(out);
}

/** As pprof writes it itself: gzip. */
export const pprofGz = (profile) => new Response(new Blob([pprof(profile)]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
