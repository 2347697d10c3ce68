// Numbers as people read them: the same as tools/observer/units.h.

const scale = (n, step, units) => {
  let unit = 0;
  for (; Math.abs(n) >= step && unit < units.length - 1; ++unit) n /= step;
  return [n, units[unit]];
};

export function bytes(n) {
  if (n == null || isNaN(n)) return "–";
  const [v, unit] = scale(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
  return unit === "B" ? `${Math.round(v)} B` : `${v.toFixed(1)} ${unit}`;
}

/** Five characters at most: 950, 12.3k, 4.56M. */
export function count(n) {
  if (n == null || isNaN(n)) return "–";
  if (Math.abs(n) < 10000) return String(Math.round(n));
  const [v, unit] = scale(n, 1000, ["", "k", "M", "G", "T"]);
  const size = Math.abs(v);
  return v.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0) + unit;
}

export const signed = (n, form = count) => (n > 0 ? "+" : n < 0 ? "-" : "") + form(Math.abs(n));

export function duration(ns) {
  if (ns == null || isNaN(ns)) return "–";
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(1)} µs`;
  if (ns < 1e9) return `${(ns / 1e6).toFixed(1)} ms`;
  const s = ns / 1e9;
  if (s < 60) return `${s.toFixed(1)} s`;
  const whole = Math.floor(s);
  const two = (v) => String(v).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)}h${two(Math.floor(whole / 60) % 60)}m`;
  return `${Math.floor(whole / 86400)}d${two(Math.floor(whole / 3600) % 24)}h`;
}

export const percent = (part) => `${(part * 100).toFixed(part < 0.0995 ? 1 : 0)} %`;

/** All digits, in groups of three. */
export const grouped = (n) => (n == null ? "–" : Math.round(n).toLocaleString("en-US"));
