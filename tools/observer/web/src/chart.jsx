// A small chart of the last minutes (uPlot). All charts of a page show the same moment under the
// pointer.
import uPlot from "uplot";
import { useEffect, useRef } from "preact/hooks";
import { useSize } from "./hooks.js";
import { useTheme } from "./theme.js";

const alpha = (colour, part) => `color-mix(in srgb, ${colour} ${part * 100}%, transparent)`;

/** Ticks of bytes are powers of two, as their labels are. */
const POWERS = Array.from({ length: 51 }, (_, k) => 2 ** k);

function options(t, width, height, series, format, range, least, binary) {
  const axis = { stroke: t.faint, font: t.label, ticks: { show: false }, grid: { stroke: t.line, width: 1 } };
  const clock = (u, at) => at.map((s) => new Date(s * 1000).toTimeString().slice(0, 8));
  return {
    width,
    height,
    pxAlign: 1,
    cursor: { sync: { key: "all" }, points: { size: 5 }, drag: { x: false, y: false }, y: false },
    legend: { show: false },
    scales: { y: { range: (u, low, high) => [0, range || Math.max(high * 1.1, least)] } },
    axes: [
      { ...axis, size: 20, space: 90, values: clock, grid: { show: false } },
      { ...axis, size: 62, space: 28, ...(binary ? { incrs: POWERS } : {}), values: (u, at) => at.map(format) },
    ],
    series: [
      {},
      ...series.map((s, k) => ({
        label: s.name,
        stroke: s.colour || t.series[k % t.series.length],
        fill: s.line ? undefined : alpha(s.colour || t.series[k % t.series.length], t.dark ? 0.16 : 0.12),
        width: 1.5,
        points: { show: false },
      })),
    ],
  };
}

/** series: [{ name, values, line }] along `times` (seconds); `range`: the top, if it is fixed, or `least`. */
export function Chart({ title, times, series, format, range, least = 4, note, binary }) {
  const [ref, size] = useSize();
  const plot = useRef(null);
  const t = useTheme();
  const data = [times, ...series.map((s) => s.values)];
  const shape = series.map((s) => s.name).join();
  useEffect(() => {
    if (size.width < 20) return;
    plot.current = new uPlot(options(t, size.width, size.height, series, format, range, least, binary), data, ref.current);
    return () => plot.current.destroy();
  }, [t, size.width, size.height, shape]);
  useEffect(() => plot.current?.setData(data), [times]);
  const shown = series.slice(0, 4);
  return (
    <section class="chart">
      <header>
        <h3>{title}</h3>
        {shown.map((s, k) => (
          <span class="value">
            {series.length > 1 && <i style={{ background: s.colour || t.series[k] }} />}
            {series.length > 1 && <small>{s.name}</small>}
            <b>{format(s.values[s.values.length - 1])}</b>
          </span>
        ))}
        {note && <span class="note">{note}</span>}
      </header>
      <div class="plot" ref={ref} />
    </section>
  );
}
