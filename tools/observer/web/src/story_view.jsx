// A story that `explore --save` has kept: lifelines side by side, time downwards. Only what is seen is drawn.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Help, Logo, Prompt } from "./frame.jsx";
import { useKeys, useSize } from "./hooks.js";
import { Diagram, sortOf } from "./story.js";
import { duration } from "./units.js";

const ROW = 32, HEAD = 46, LEFT = 140, RIGHT = 330, LINE = 26; // LEFT: the first lifeline; LINE: where in its row an arrow is
const KEYS = [
  ["↑ ↓, j k, PgUp, PgDn, Home, End", "move"],
  ["Enter", "the other end of what is sent or received"],
  ["← →", "the event before, the next of the same process"],
  ["n p", "the next, the previous switch or fault"],
  ["/", "search: the next event that has a text in it"],
  ["Esc", "nothing is selected"],
];
const BAD = { leak: "amber", unreceived: "amber", output: "amber", halt: "amber", result: "good" };
/** Of a file its name; a function is whole. */
const base = (place = "") => place.replace(/^.*\/(?=[^/]+:\d+$)/, "");
/** In ms. */
const timeOf = ({ event: e }) => e && ((e.at_ns ?? 0) / 1e6).toFixed((e.at_ns ?? 0) < 1e8 ? 1 : 0);

const MOST_ARROWS = 1000; // at once
const cut = (text = "", most = 20000) => (text.length > most ? `${text.slice(0, most)} …` : text);

/** Lifelines, who runs, arrows: of the rows from `first` to `last`, from `left` on. */
function Lines({ diagram, xOf, first, last, left, width, chosen, otherEnd }) {
  const { columns, rows, arrows } = diagram;
  const y = (row) => (row - first) * ROW;
  const trackOf = (a) => xOf(a.to) - 13 - 5 * (a.track ?? 0);
  const isNear = (a) => (a.begin >= first && a.begin <= last) || (a.end >= first && a.end <= last);
  let shown = arrows.filter((a) => a.begin <= last && a.end >= first);
  if (shown.length > MOST_ARROWS) shown = [...shown.filter(isNear), ...shown.filter((a) => !isNear(a))].slice(0, MOST_ARROWS);
  const mark = (a) => (chosen >= 0 && (a.begin === chosen || a.end === chosen) ? " chosen" : "");
  return (
    <svg class="lines" width={width} height={(last - first + 1) * ROW} viewBox={`${left} 0 ${width} ${(last - first + 1) * ROW}`} style={{ top: `${HEAD + first * ROW}px`, left: `${left}px` }}>
      <defs>
        {["message", "timer", "signal", "spawn", "end"].map((kind) => (
          <marker id={`tip-${kind}`} class={`tip-${kind}`} viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">
            <path d="M0 .5 8 4 0 7.5z" />
          </marker>
        ))}
      </defs>
      {chosen >= 0 && <rect class="selected" x={left} y={y(chosen)} width={width} height={ROW} />}
      {chosen >= 0 && <rect class="selected" x={left} y={y(chosen)} width="3" height={ROW} />}
      {otherEnd != null && <rect class="other" x={left} y={y(otherEnd)} width={width} height={ROW} />}
      {columns.map((c, k) => {
        const begin = Math.max(c.born, first), end = Math.min(c.died ?? Infinity, last);
        if (begin > end || xOf(k) < left || xOf(k) > left + width) return null;
        const top = c.born < first ? 0 : y(c.born) + (k ? LINE : 0), bottom = c.died != null && c.died <= last ? y(c.died) + ROW / 2 : y(last + 1);
        return <line class="life" x1={xOf(k)} x2={xOf(k)} y1={top} y2={bottom} />;
      })}
      {rows.slice(first, last + 1).map(({ event: e }, k) => e?.column >= 0 && <rect class="runs" x={xOf(e.column) - 4} width="8" y={k * ROW} height={e.kind === "ends" || e.kind === "dies" ? ROW / 2 : ROW} />)}
      {shown.map((a) => {
        const class_ = `${a.kind}${mark(a)}`, y1 = y(a.begin) + LINE, to = a.to >= 0 ? xOf(a.to) : xOf(a.from) + 70;
        if (a.from < 0) return <path class={class_} d={`M${to - 60} ${y(a.begin) + ROW / 2}H${to - 5}`} marker-end={`url(#tip-${a.kind})`} />;
        const from = xOf(a.from), side = to > from ? 4 : -4;
        if (a.open && a.kind === "message") {
          const stop = to - 13;
          return <><path class={`${class_} open`} d={`M${from + (stop > from ? 4 : -4)} ${y1}H${stop - (stop > from ? 4 : -4)}`} /><circle class={`${class_} open`} cx={stop} cy={y1} r="4" /></>;
        }
        if (a.open) return <><path class={class_} d={`M${from + side} ${y1}H${to - side}`} /><circle class={`${class_} dot`} cx={to} cy={y1} r="3" /></>;
        if (a.begin === a.end) return <path class={class_} d={`M${from + side} ${y1}H${to - side * 1.2}`} marker-end={`url(#tip-${a.kind})`} />;
        const x = trackOf(a), y2 = y(a.end) + ROW / 2, bend = x > from ? 5 : -5;
        return <path class={class_} d={`M${from + (x > from ? 4 : -4)} ${y1}H${x - bend}Q${x} ${y1} ${x} ${y1 + 5}V${y2 - 5}Q${x} ${y2} ${x + 5} ${y2}H${to - 5}`} marker-end={`url(#tip-${a.kind})`} />;
      })}
      {rows.slice(first, last + 1).map(({ event: e }, k) => {
        if (e?.column < 0 || (e?.kind !== "ends" && e?.kind !== "dies")) return null;
        const x = xOf(e.column), at = k * ROW + ROW / 2;
        return <path class={`cross ${e.kind}`} d={`M${x - 6} ${at - 6}l12 12m0-12l-12 12`} />;
      })}
    </svg>
  );
}

/** What a row says, beside its lifeline or across all. */
function Row({ diagram, row, k, now, xOf, width, onSelect, onPoint }) {
  const { event: e, leap, gap } = row;
  const at = { top: `${HEAD + k * ROW}px`, width: `${width}px` };
  if (!e) return <div class="happens across" style={at}><span class={leap ? "passes" : "gap"}>{leap ? `nobody can run: ${duration(leap)} pass` : `${gap} events are left out`}</span></div>;
  const point = { onClick: () => onSelect(k), onMouseMove: (m) => onPoint(k, m), onMouseLeave: () => onPoint(-1) };
  const gutter = <span class="when"><b>{e.number}</b>{now}</span>;
  if (e.column < 0) {
    const text = e.kind === "clock" ? `the clock moves on by ${duration(e.moved_ns)}` : e.kind === "switches" ? `switch: ${e.text}` : e.text;
    return <div class="happens across" style={at} {...point}>{gutter}<span class={`band ${e.kind}`}>{text}</span></div>;
  }
  const x = xOf(e.column), to = e.other >= 0 ? xOf(e.other) : x;
  const [what, result] = diagram.label(e);
  const sends = e.kind === "sends", room = x - 90;
  const back = sends && to < x && what.length * 7.3 + base(e.place).length * 6.4 + 36 < room; // it has room before who sends it
  const left = sends ? Math.min(x, to) + 12 : x + 8;
  const place = back ? { right: `${width - x + 24}px`, maxWidth: `${room}px` } : { left: `${left}px`, maxWidth: `${Math.max(width - left - 8, 60)}px` };
  return (
    <div class="happens" style={at} {...point}>
      {gutter}
      <span class={`says ${e.kind} ${sortOf(e)}${e.other >= 0 && e.other !== e.column ? " above" : ""}`} style={place}>
        <span class="what">{what}</span>
        {result && <span class="result">→ {result}</span>}
        {sends && e.other < 0 && <span class="result">to {diagram.short(e.target)}</span>}
        <small>{base(e.place)}</small>
      </span>
    </div>
  );
}

const WORDS = { sends: "sends", receives: "receives", calls: "calls", spawns: "spawns", times_out: "its time is up", ends: "ends", dies: "ends otherwise", clock: "the clock moves on", fault: "goes wrong", switches: "a switch from the usual run" };

function Details({ diagram, row, onGo }) {
  const e = diagram.rows[row]?.event;
  if (!e) return null;
  const own = diagram.columns[e.column], other = diagram.columns[e.other];
  const named = (c) => `${c.path} ${c.pid}${c.name ? ` ${c.name}` : ""}`;
  const way = (number, what) => number && diagram.rowOf(number) != null && <button onClick={() => onGo(diagram.rowOf(number))}>{what} {number} <kbd>Enter</kbd></button>;
  const facts = [
    ["who", own && named(own)],
    ["where", e.place],
    ["when", `${((e.at_ns ?? 0) / 1e6).toFixed(3)} ms`],
    ["to", e.kind === "sends" ? (other ? named(other) : e.target) : other && named(other)],
    ["message", e.message],
    ["text", e.text],
    ["result", e.result],
    ["by", e.moved_ns && `${(e.moved_ns / 1e6).toFixed(3)} ms`],
  ];
  return (
    <section class="panel">
      <h3>{e.number} <span class="note">{WORDS[e.kind]}</span></h3>
      <dl class="told">{facts.map(([name, value]) => value && <div><dt>{name}</dt><dd>{cut(value)}</dd></div>)}</dl>
      {way(e.from, "sent by")}
      {way(e.received, "received by")}
      {e.kind === "sends" && other && !e.received && <p class="note">nobody receives it</p>}
    </section>
  );
}

function Legend() {
  return (
    <section class="panel legend">
      {["data", "name", "timer", "life"].map((sort, k) => <span><i class={sort} />{["tables, terms, counters", "names", "timers", "spawning, links, monitors, ends"][k]}</span>)}
      <p class="note">A line at the left of a lifeline is a message that waits in its mailbox; one that ends in a ring is never received. Broad: who runs.</p>
    </section>
  );
}

function Story({ story, ask }) {
  const diagram = useMemo(() => new Diagram(story.telling), [story]);
  const { columns, rows, marks } = diagram;
  const [ref, size] = useSize();
  const scroller = useRef(null);
  const [seen, look] = useState({ top: 0, left: 0 });
  const [chosen, choose] = useState(-1);
  const [tip, setTip] = useState(null);
  const wanted = useRef(""); // was searched for
  const gap = Math.max(150, Math.min(320, Math.floor((size.width - LEFT - RIGHT) / Math.max(columns.length, 1))));
  const xOf = (k) => LEFT + k * gap;
  const width = Math.max(scroller.current?.clientWidth || size.width - 16, xOf(columns.length - 1) + RIGHT);
  const first = Math.max(0, Math.floor((seen.top - ROW) / ROW)), last = Math.min(rows.length - 1, Math.ceil((seen.top + size.height) / ROW));
  const screenful = Math.max(1, Math.floor((size.height - HEAD) / ROW) - 1);

  const go = (k) => {
    const row = Math.max(0, Math.min(rows.length - 1, k));
    choose(row);
    const s = scroller.current, top = row * ROW;
    if (top < s.scrollTop + ROW) s.scrollTop = top - ROW;
    else if (top + HEAD + 2 * ROW > s.scrollTop + s.clientHeight) s.scrollTop = top + HEAD + 2 * ROW - s.clientHeight;
    const x = xOf(rows.slice(row, row + 4).find((r) => r.event?.column >= 0)?.event.column ?? 0); // of a switch: who runs then
    if (x < s.scrollLeft + 80 || x + 150 > s.scrollLeft + s.clientWidth) s.scrollLeft = x - s.clientWidth / 3;
    if (row === rows.length - 1) s.scrollTop = s.scrollHeight;
  };
  const from = chosen < 0 ? Math.floor(seen.top / ROW) - 1 : chosen;
  const beside = (step) => {
    const column = rows[chosen]?.event?.column;
    for (let k = chosen + step; k >= 0 && k < rows.length; k += step) if (rows[k].event && rows[k].event.column === column) return k;
    return Math.max(chosen, 0);
  };
  const moves = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: screenful, PageUp: -screenful, Home: -Infinity, End: Infinity };
  useKeys((key) => {
    if (key in moves) go(from + moves[key]);
    else if (key === "ArrowLeft" || key === "ArrowRight") go(beside(key === "ArrowLeft" ? -1 : 1));
    else if (key === "n") go(marks.find((m) => m > from) ?? marks[0] ?? from);
    else if (key === "p") go(marks.findLast((m) => m < from) ?? marks.at(-1) ?? from);
    else if (key === "Escape") choose(-1);
    else if (key === "Enter") {
      const to = chosen >= 0 && rows[chosen].event ? diagram.otherEnd(rows[chosen].event) : undefined;
      if (to != null) go(to);
    } else if (key === "/")
      ask("search: ", wanted.current).then((text) => {
        if (!text) return;
        const row = diagram.find(text, text === wanted.current ? from : from < 0 ? -1 : from - 1);
        wanted.current = text;
        if (row >= 0) go(row);
      });
    else return false;
    return true;
  });
  const point = (k, m) => {
    if (k < 0) return setTip(null);
    const e = rows[k].event, box = ref.current.getBoundingClientRect();
    setTip({ x: m.clientX - box.left, y: m.clientY - box.top, text: cut([e.place, e.text || e.message, e.result && `→ ${e.result}`].filter(Boolean).join("\n"), 1500) });
  };
  const otherEnd = rows[chosen]?.event ? diagram.otherEnd(rows[chosen].event) : undefined;
  const heads = columns.map((c, k) => ({ c, k })).filter(({ k }) => xOf(k) > seen.left - gap && xOf(k) < seen.left + size.width + gap);
  const { ending, switches } = story;
  return (
    <div class="split">
      <div class="drawing story" ref={ref}>
        <div class={`scroller${seen.left > 0 ? " moved" : ""}`} ref={scroller} onScroll={(e) => look({ top: e.currentTarget.scrollTop, left: e.currentTarget.scrollLeft })}>
          <div class="heads" style={{ width: `${width}px`, height: `${HEAD}px` }}>
            <span class="when"><b>event</b>ms</span>
            {heads.map(({ c, k }) => (
              <div class="lifeline" style={{ left: `${xOf(k)}px`, maxWidth: `${Math.min(gap, 2 * LEFT - 148) - 10}px` }} title={`${c.path} ${c.pid} ${c.name}`}>
                <b>{c.path}</b>{c.name && <b class="named">{c.name}</b>}
                <small>{c.pid}</small>
              </div>
            ))}
          </div>
          <div style={{ height: `${rows.length * ROW}px`, width: `${width}px` }} />
          {size.height > 0 && <Lines diagram={diagram} xOf={xOf} first={first} last={last} left={seen.left} width={Math.min(width, size.width)} chosen={chosen} otherEnd={otherEnd} />}
          {rows.slice(first, last + 1).map((row, k) => (
            <Row key={first + k} diagram={diagram} row={row} k={first + k} now={k && timeOf(row) === timeOf(rows[first + k - 1]) ? "" : timeOf(row)} xOf={xOf} width={width} onSelect={choose} onPoint={point} />
          ))}
          <section class={`ending ${BAD[ending.class] ?? "bad"}`} style={{ maxWidth: `${Math.max(size.width - 40, 200)}px` }}>
            <b>{ending.class}</b>
            <pre>{cut(ending.text)}</pre>
          </section>
        </div>
        {tip && <div class="tip" style={{ left: `${Math.max(0, Math.min(tip.x + 14, size.width - 420))}px`, top: `${Math.min(tip.y + 16, size.height - 70)}px` }}>{tip.text}</div>}
      </div>
      <aside class="aside facts-of-story">
        <section class="panel">
          <h3><span class={`class ${BAD[ending.class] ?? "bad"}`}>{ending.class}</span> <span class="note">{switches.length ? `${switches.length} switch${switches.length > 1 ? "es" : ""} from the usual run` : "without any switch"}</span></h3>
          <ol class="switches">
            {switches.slice(0, 50).map((s, k) => <li><a onClick={() => marks[k] != null && go(marks[k])}>{cut(s, 300)}</a></li>)}
          </ol>
          <p class="ends-with">{cut(ending.text.split("\n")[0], 500)}</p>
          {story.repeat && <><p class="note">repeat it</p><pre class="repeat">{cut(story.repeat, 1000)}</pre></>}
        </section>
        <Details diagram={diagram} row={chosen} onGo={go} />
        <Legend />
      </aside>
    </div>
  );
}

export function StoryPage({ link, banner }) {
  const [state, set] = useState({});
  const [helping, help] = useState(false);
  const [prompt, setPrompt] = useState(null);
  useEffect(() => {
    link.ask({ do: "story" }).then((story) => set({ story }), (e) => set({ error: e.message }));
  }, []);
  const { story, error } = state;
  useLayoutEffect(() => {
    document.title = `${story ? `${story.program}: ${story.ending.class} · ` : ""}Story · whitebeam`;
  }, [story]);
  useKeys((key) => {
    if (helping && key !== "?") return help(false), true;
    if (key === "?") return help((h) => !h), true;
    return false;
  });
  const ask = (question, line) => new Promise((resolve) => setPrompt({ question, line, done: (answer) => (setPrompt(null), resolve(answer)) }));
  return (
    <>
      <nav>
        <Logo />
        <button class="on">Story</button>
        <span class="grow" />
        {story && <span class="machine"><b>{cut(story.program, 80)}</b><small>{story.telling.events.length} events of {story.telling.lifelines.length} processes</small></span>}
      </nav>
      {banner}
      <main>{story ? <Story story={story} ask={ask} /> : <div class="empty">{error || "connecting …"}</div>}</main>
      <footer>{prompt ? <Prompt question={prompt.question} line={prompt.line} onDone={prompt.done} /> : <span class="keys">? help  Enter the other end  n p switches  / search</span>}</footer>
      {helping && <Help keys={KEYS} onClose={() => help(false)} />}
    </>
  );
}
