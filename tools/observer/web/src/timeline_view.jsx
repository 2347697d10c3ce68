// View 5: lanes of the schedulers, drawn. The wheel zooms at the pointer, dragging moves, a click on
// a slice opens its process.
import { useEffect, useRef, useState } from "preact/hooks";
import { download } from "./download.js";
import { useKeys, useObserver, useSize } from "./hooks.js";
import { paper, useTheme } from "./theme.js";
import { perfetto, search, Timeline } from "./timeline.js";
import { count, duration } from "./units.js";

const LEFT = 44, TOP = 26, BAR = 30, LANE = 52;
const SHORTEST = 1e4, LONGEST = 3e10;

/** The same colour for the same process. */
function shade(who, t) {
  let h = 0;
  for (let k = 0; k < who.length; ++k) h = (h * 31 + who.charCodeAt(k)) >>> 0;
  return `hsl(${120 + ((h * 37) % 130)} ${t.dark ? 32 : 42}% ${(t.dark ? 40 : 62) + (h % 12)}%)`;
}

function step(span, width) {
  const rough = (span / width) * 110;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((n) => n * power).find((s) => s >= rough);
}

function drawRuler(c, t, end, span, width, height) {
  const ns = step(span, width - LEFT);
  c.font = t.label;
  c.textBaseline = "middle";
  for (let back = 0; back <= span; back += ns) {
    const x = width - (back / span) * (width - LEFT);
    c.fillStyle = t.line;
    c.fillRect(Math.round(x), TOP - 6, 1, height);
    c.fillStyle = t.faint;
    c.textAlign = "right";
    if (x > 60) c.fillText(back ? `-${duration(back)}` : "now", x - 4, 11);
  }
}

/** Who ran and collected between two moments: [{ who, ns, slices, collecting }], the longest first. */
function busiest(lanes, from, end) {
  const sums = new Map();
  for (const { spans } of lanes) {
    for (let k = search(spans, from); k < spans.length && spans[k].begin < end; ++k) {
      const s = spans[k];
      if (s.kind === "sleep") continue;
      const sum = sums.get(s.who) || { who: s.who, ns: 0, slices: 0, collecting: 0 };
      const ns = Math.min(s.end, end) - Math.max(s.begin, from);
      sum.ns += ns;
      if (s.kind === "collect") sum.collecting += ns;
      else ++sum.slices;
      sums.set(s.who, sum);
    }
  }
  return [...sums.values()].sort((a, b) => b.ns - a.ns);
}

function Busiest({ rows, named, onOpen }) {
  return (
    <section class="panel aside">
      <h3>who ran <span class="note">{rows.length} in what is shown</span></h3>
      <dl class="pairs hot">
        {rows.slice(0, 50).map((r) => (
          <div onClick={() => onOpen(r.who)}>
            <dt title={named(r.who)}>
              <i style={{ width: `${(r.ns / rows[0].ns) * 100}%` }} />
              {named(r.who)}
            </dt>
            <dd title={`${r.slices} slices, ${duration(r.collecting)} of it collecting`}>
              {r.slices > 1 && <small>{count(r.slices)} × </small>}
              {duration(r.ns)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Spans thinner than a pixel are gathered: each pixel shows what took most of it. */
function drawLane(c, t, lane, y, from, span, width, named) {
  const scale = (width - LEFT) / span;
  const inks = { collect: t.red, sleep: t.line };
  let at = -1, most = 0, sum = 0, ink = null; // of the pixel that is being gathered
  const flush = () => {
    if (!ink) return;
    c.fillStyle = ink;
    c.globalAlpha = Math.max(0.15, Math.min(1, sum));
    c.fillRect(at, y, 1, BAR);
    c.globalAlpha = 1;
    ink = null;
    most = sum = 0;
  };
  for (let k = search(lane.spans, from); k < lane.spans.length; ++k) {
    const s = lane.spans[k];
    if (s.begin > from + span) break;
    const x = Math.max(LEFT, LEFT + (s.begin - from) * scale);
    const w = Math.min(width, LEFT + (s.end - from) * scale) - x;
    const colour = inks[s.kind] || shade(s.who, t);
    if (w < 1) {
      const pixel = Math.floor(x);
      if (pixel !== at) flush(), (at = pixel);
      if (s.kind !== "sleep") sum += w;
      if (s.kind !== "sleep" && (w > most || !ink)) (most = w), (ink = colour);
      continue;
    }
    flush();
    c.fillStyle = colour;
    const low = s.kind === "sleep";
    c.fillRect(x, low ? y + BAR - 4 : y, Math.max(w - (w > 3 ? 0.5 : 0), 0.5), low ? 4 : BAR);
    if (w > 56 && s.kind !== "sleep") {
      c.fillStyle = s.kind === "collect" || !t.dark ? "#fff" : t.ink;
      c.font = t.font;
      c.textAlign = "left";
      c.save();
      c.beginPath();
      c.rect(x, y, w - 4, BAR);
      c.clip();
      c.fillText(s.kind === "collect" ? `GC ${named(s.who)}` : named(s.who), x + 5, y + BAR / 2 + 1);
      c.restore();
    }
  }
  flush();
  c.fillStyle = t.amber;
  for (let k = lane.instants.length; k-- > 0; ) {
    const i = lane.instants[k];
    if (i.at < from) break;
    if (i.at <= from + span) c.fillRect(LEFT + (i.at - from) * scale, y + BAR + 2, 1, 5);
  }
}

const MOST_ARROWS = 300;

/** From the end of the sender's slice to where the receiver took the message. */
function drawArrows(c, t, arrows, rowOf, from, span, width) {
  const scale = (width - LEFT) / span;
  const shown = arrows.filter((a) => a.end >= from && a.begin <= from + span);
  if (shown.length > MOST_ARROWS) return; // a carpet says nothing: zoom in
  c.strokeStyle = c.fillStyle = t.ink;
  c.globalAlpha = 0.6;
  for (const a of shown) {
    const x1 = LEFT + (a.begin - from) * scale, x2 = LEFT + (a.end - from) * scale;
    const r1 = rowOf(a.fromLane), r2 = rowOf(a.toLane);
    if (x1 < LEFT || x2 > width || r1 < 0 || r2 < 0) continue;
    const down = r2 >= r1;
    const y1 = TOP + r1 * LANE + 8 + (down ? BAR : 0), y2 = TOP + r2 * LANE + 8 + (r2 > r1 ? 0 : BAR);
    const bend = r1 === r2 ? 14 : 0; // on one lane: an arc below it
    c.beginPath();
    c.moveTo(x1, y1);
    c.bezierCurveTo(x1, y1 + bend, x2, y2 + bend, x2, y2);
    c.stroke();
    const tip = r2 > r1 ? -4 : 4;
    c.beginPath();
    c.moveTo(x2, y2);
    c.lineTo(x2 - 3, y2 + tip);
    c.lineTo(x2 + 3, y2 + tip);
    c.fill();
  }
  c.globalAlpha = 1;
}

export function TimelineView() {
  const { link, frozen, openProcess, hello } = useObserver();
  const [ref, size] = useSize();
  const canvas = useRef(null);
  const timeline = useRef(new Timeline());
  const [turn, drawn] = useState(0);
  const [view, setView] = useState({ span: 2e7, end: null }); // end: null follows what is new
  const [tip, setTip] = useState(null);
  const t = useTheme();

  useEffect(() => {
    if (frozen) return;
    let over = false, timer;
    const ask = async () => {
      try {
        const data = await link.ask({ do: "events", from: timeline.current.next, messages_since_ns: Math.floor(timeline.current.newestMessage) });
        if (over) return;
        timeline.current.add(data);
        drawn((n) => n + 1);
      } catch {
        timeline.current = new Timeline();
      }
      if (!over) timer = setTimeout(ask, 250);
    };
    ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [frozen]);

  const end = view.end ?? timeline.current.newest;
  const from = end - view.span;
  const lanes = timeline.current.lanes.map((lane, k) => ({ ...lane, number: k + 1 })).filter((l) => l.spans.length || l.instants.length);
  const height = Math.max(size.height, TOP + lanes.length * LANE + 10);
  useEffect(() => {
    if (!size.width) return;
    const c = paper(canvas.current, size.width, height);
    drawRuler(c, t, end, view.span, size.width, height);
    lanes.forEach((lane, k) => {
      const y = TOP + k * LANE + 8;
      c.fillStyle = t.faint;
      c.font = t.font;
      c.textAlign = "right";
      c.fillText(String(lane.number), LEFT - 12, y + BAR / 2 + 1);
      drawLane(c, t, lane, y, from, view.span, size.width, (pid) => timeline.current.named(pid));
    });
    const rowOf = (lane) => lanes.findIndex((l) => l.number === lane + 1);
    drawArrows(c, t, timeline.current.arrows, rowOf, from, view.span, size.width);
  }, [t, size, turn, view, height]);

  const zoom = (by, x = size.width) =>
    setView((v) => {
      const span = Math.max(SHORTEST, Math.min(LONGEST, v.span * by));
      const part = (size.width - x) / (size.width - LEFT); // of the span, right of the pointer
      const last = v.end ?? timeline.current.newest;
      return { span, end: v.end == null && part < 0.02 ? null : last - part * (v.span - span) };
    });
  const move = (part) => setView((v) => ({ ...v, end: Math.min(timeline.current.newest, (v.end ?? timeline.current.newest) + part * v.span) }));
  const save = () => download("whitebeam-timeline.json", perfetto(timeline.current, hello?.program || "whitebeam"), "application/json");
  useKeys((key) => {
    if (key === "+" || key === "=") zoom(0.5);
    else if (key === "-") zoom(2);
    else if (key === "ArrowLeft" || key === "h") move(-0.2);
    else if (key === "ArrowRight" || key === "l") move(0.2);
    else if (key === "End" || key === "G") setView((v) => ({ ...v, end: null }));
    else if (key === "e") save();
    else return false;
    return true;
  });

  const hit = (e) => {
    const lane = lanes[Math.floor((e.offsetY - TOP) / LANE)];
    const ns = from + ((e.offsetX - LEFT) / (size.width - LEFT)) * view.span;
    const s = lane && e.offsetX > LEFT && lane.spans[search(lane.spans, ns)];
    return s && s.begin <= ns + view.span / size.width ? s : null;
  };
  const drag = useRef(null);
  return (
    <>
      <div class="bar">
        <b>{duration(view.span)}</b> {view.end == null ? "until now" : `until ${duration(timeline.current.newest - end)} ago`}
        {view.end != null && <button onClick={() => setView((v) => ({ ...v, end: null }))}>follow <kbd>End</kbd></button>}
        <span class="grow" />
        <span class="key"><i style={{ background: shade("<0.5.5>", t) }} /> runs a process</span>
        <span class="key"><i class="fill-4" /> collects</span>
        <span class="key"><i style={{ background: t.line }} /> sleeps</span>
        <span class="key"><i style={{ background: t.amber }} /> spawn, steal, timers …</span>
        <span class="key">↷ some messages</span>
        <button onClick={() => zoom(0.5)}><kbd>+</kbd></button>
        <button onClick={() => zoom(2)}><kbd>-</kbd></button>
        <button onClick={save}>for ui.perfetto.dev <kbd>e</kbd></button>
      </div>
      <div class="split">
      <div class="drawing" ref={ref}>
        <canvas
          ref={canvas}
          onWheel={(e) => (e.preventDefault(), zoom(e.deltaY > 0 ? 1.25 : 0.8, e.offsetX))}
          onPointerDown={(e) => (e.currentTarget.setPointerCapture(e.pointerId), (drag.current = { x: e.offsetX, moved: false }))}
          onPointerMove={(e) => {
            const s = hit(e);
            setTip(s && { x: e.offsetX, y: e.offsetY, s });
            if (!drag.current) return;
            const by = e.offsetX - drag.current.x;
            if (Math.abs(by) > 2) (drag.current = { x: e.offsetX, moved: true }), move(-by / (size.width - LEFT));
          }}
          onPointerUp={(e) => {
            const s = hit(e);
            if (!drag.current?.moved && s?.who) openProcess(s.who);
            drag.current = null;
          }}
          onPointerLeave={() => setTip(null)}
        />
        {tip && (
          <div class="tip" style={{ left: `${Math.min(tip.x + 12, size.width - 220)}px`, top: `${tip.y + 14}px` }}>
            <b>{{ run: "runs", collect: "collects", sleep: "sleeps" }[tip.s.kind]}</b> {timeline.current.named(tip.s.who)}
            <br />
            {duration(tip.s.end - tip.s.begin)}
          </div>
        )}
      </div>
      <Busiest rows={busiest(lanes, from, end)} named={(pid) => timeline.current.named(pid)} onOpen={openProcess} />
      </div>
    </>
  );
}
