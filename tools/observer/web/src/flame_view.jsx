// View 6: where reductions, time or words go, outermost function above, as wide as its share. A click zooms in.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { download } from "./download.js";
import { flameTree, folded, hottest, speedscope, tiersOf } from "./flame.js";
import { useAsked, useKeys, useObserver, useSize } from "./hooks.js";
import { pprofGz } from "./pprof.js";
import { paper, useTheme } from "./theme.js";
import { bytes, grouped, percent } from "./units.js";

const BOX = 20;

/** The same colour for the same module, a little apart for its functions. */
function colour(name, t, dim) {
  const colon = name.indexOf(":");
  let h = 0, g = 0;
  for (let k = 0; k < name.length; ++k) {
    if (k < colon) h = (h * 31 + name.charCodeAt(k)) >>> 0;
    else g = (g * 31 + name.charCodeAt(k)) >>> 0;
  }
  const hue = 18 + ((h * 53) % 140);
  return dim ? t.line : `hsl(${hue} ${t.dark ? 38 : 62}% ${(t.dark ? 36 : 72) + (g % 9)}%)`;
}

/** Redder the more a share has grown, bluer the more it has shrunk. */
function heat(change, t) {
  const strength = Math.min(1, Math.sqrt(Math.abs(change)) * 1.6);
  return strength < 0.04 ? t.line : `color-mix(in srgb, ${change > 0 ? t.red : t.series[1]} ${Math.round(strength * 75)}%, ${t.line})`;
}

/** What ran it: LLVM's code, the baseline's, the interpreter; faint what is no function. */
function tierColour(tier, t) {
  const of = { LLVM: t.accent, baseline: t.amber, interpreter: t.red }[tier?.most];
  return of ? `color-mix(in srgb, ${of} 60%, ${t.line})` : t.line;
}

/** Boxes: { node, x, y, width } in parts of the width. */
function layOut(root, zoom) {
  const boxes = [];
  const place = (node, x, width, y) => {
    boxes.push({ node, x, width, y });
    let at = x;
    for (const c of node.children) {
      const w = (c.total / node.total) * width;
      if (w > 0.0004) place(c, at, w, y + 1);
      at += w;
    }
  };
  const path = [];
  let top = root;
  for (const name of zoom) {
    path.push(top);
    const next = top.children.find((c) => c.name === name);
    if (!next) break;
    top = next;
  }
  path.slice(0, zoom.length).forEach((node, y) => node !== top && boxes.push({ node, x: 0, width: 1, y, above: true }));
  if (top.total) place(top, 0, 1, path.includes(top) ? path.indexOf(top) : path.length);
  return boxes;
}

function draw(context, t, boxes, width, found, under, tiers) {
  context.textBaseline = "middle";
  context.font = t.font;
  for (const b of boxes) {
    const x = b.x * width, w = b.width * width, y = b.y * BOX;
    if (w < 0.6) continue;
    const dim = (found && !found(b.node.name)) || b.above;
    context.fillStyle = b.y === 0 ? t.line : b.node.change != null && !dim ? heat(b.node.change, t) : tiers && !dim ? tierColour(tiers.get(b.node.name), t) : colour(b.node.name, t, dim);
    context.fillRect(x, y, Math.max(w - 0.7, 0.6), BOX - 1);
    if (under === b) {
      context.strokeStyle = t.ink;
      context.strokeRect(x + 0.5, y + 0.5, w - 1.7, BOX - 2);
    }
    if (w < 34) continue;
    context.save();
    context.beginPath();
    context.rect(x, y, w - 5, BOX);
    context.clip();
    context.fillStyle = dim ? t.faint : t.ink;
    context.fillText(b.node.name, x + 5, y + BOX / 2);
    context.restore();
  }
}

export const wholeProfile = { what: "reductions", pid: "", by_process: false };

export function Flame({ choice, choose, ask }) {
  const { frozen, hello, link } = useObserver();
  const { data, error, again } = useAsked({ do: "profile", ...choice });
  const [ref, size] = useSize();
  const canvas = useRef(null);
  const input = useRef(null);
  const [zoom, setZoom] = useState([]);
  const [search, setSearch] = useState("");
  const [under, setUnder] = useState(null);
  const t = useTheme();
  const [base, setBase] = useState(null); // { at, profile }
  const root = useMemo(() => data && flameTree(data, base?.profile), [data, base]);
  const tiers = useMemo(() => (data ? tiersOf(data) : new Map()), [data]);
  const [byTier, colourByTier] = useState(false);
  const boxes = useMemo(() => (root ? layOut(root, zoom) : []), [root, zoom]);
  const height = Math.max(size.height, (boxes.reduce((n, b) => Math.max(n, b.y), 0) + 1) * BOX);
  const found = search ? (name) => name.toLowerCase().includes(search.toLowerCase()) : null;
  const hits = useMemo(() => {
    if (!found || !root) return 0;
    const sum = (n) => (found(n.name) ? n.total : n.children.reduce((s, c) => s + sum(c), 0));
    return sum(root) / (root.total || 1);
  }, [root, search]);

  useEffect(() => {
    if (size.width) draw(paper(canvas.current, size.width, height), t, boxes, size.width, found, under, byTier && tiers);
  }, [t, size, boxes, search, under, height, byTier, tiers]);

  const change = (part) => (setBase(null), choose({ ...choice, ...part }));
  const turns = {
    a: () => change({ what: choice.what === "allocation" ? "reductions" : "allocation" }),
    t: () => change({ what: choice.what === "time" ? "reductions" : "time" }),
    g: () => change({ by_process: !choice.by_process }),
    p: () => ask("process (empty: all): ", choice.pid).then((pid) => pid !== null && change({ pid })),
  };
  const begin = () => link.ask({ do: "profile", ...choice, clear: true }).then(again, () => {});
  /** What was sampled so far is kept to compare with; sampling begins anew. */
  const shoot = () => {
    if (base) return setBase(null);
    if (data) setBase({ at: new Date(), profile: data }), begin();
  };
  const save = {
    e: () => download("whitebeam-stacks.folded", folded(data)),
    E: () => download("whitebeam-stacks.speedscope.json", speedscope(data, hello?.program || "whitebeam"), "application/json"),
    w: async () => download("whitebeam-stacks.pb.gz", await pprofGz(data), "application/gzip"),
  };
  useKeys((key) => {
    if (key === "/") input.current.focus();
    else if (key === "c") begin();
    else if (key === "d") shoot();
    else if (key === "i") colourByTier((on) => !on);
    else if (key in turns) turns[key]();
    else if (key in save) data && save[key]();
    else if (key === "Escape" || key === "b" || key === "Backspace") setZoom((z) => z.slice(0, -1));
    else return false;
    return true;
  });
  const hit = (e) => {
    const x = e.offsetX / size.width, y = Math.floor(e.offsetY / BOX);
    return boxes.find((b) => b.y === y && x >= b.x && x < b.x + b.width) || null;
  };
  const zoomTo = (box) => {
    if (!box || box.y === 0) return setZoom([]);
    // The way from the root: the boxes above it.
    const path = [];
    const middle = box.x + box.width / 2;
    for (let y = 1; y < box.y; ++y) path.push(boxes.find((b) => b.y === y && middle >= b.x && middle < b.x + b.width).node.name);
    setZoom([...path, box.node.name]);
  };
  const hot = useMemo(() => (root ? hottest(root).slice(0, 40) : []), [root]);
  return (
    <>
      <div class="bar">
        {choice.what === "allocation" ? <span><b>{bytes((data?.samples ?? 0) * 8)}</b> allocated</span> : <span><b>{grouped(data?.taken)}</b> samples, by {choice.what}</span>}
        <button class={choice.what === "time" ? "on" : ""} onClick={turns.t}>by time <kbd>t</kbd></button>
        <button onClick={turns.a}>by {choice.what === "allocation" ? "reductions" : "allocation"} <kbd>a</kbd></button>
        <button class={choice.pid ? "on" : ""} onClick={turns.p}>{choice.pid || "all processes"} <kbd>p</kbd></button>
        <button class={choice.by_process ? "on" : ""} onClick={turns.g}>by process <kbd>g</kbd></button>
        <button class={byTier ? "on" : ""} onClick={() => colourByTier(!byTier)}>tiers <kbd>i</kbd></button>
        {byTier && ["LLVM", "baseline", "interpreter"].map((most) => <span class="key"><i style={{ background: tierColour({ most }, t) }} />{most}</span>)}
        {data?.lost > 0 && <span class="lint">{grouped(data.lost)} lost</span>}
        <label class="filter short">
          <kbd>/</kbd>
          <input ref={input} placeholder="search" onInput={(e) => setSearch(e.target.value)} onKeyDown={(e) => /Enter|Escape/.test(e.key) && e.target.blur()} />
        </label>
        {search && <span>{percent(hits)}</span>}
        {error && <span class="error">{error}</span>}
        <span class="grow" />
        {zoom.length > 0 && <button onClick={() => setZoom([])}>whole</button>}
        <button onClick={begin}>begin anew <kbd>c</kbd></button>
        <button class={base ? "on" : ""} onClick={shoot}>{base ? `against ${base.at.toLocaleTimeString("en-GB")}` : "compare"} <kbd>d</kbd></button>
        <button onClick={save.e}>folded <kbd>e</kbd></button>
        <button onClick={save.E}>speedscope <kbd>E</kbd></button>
        <button onClick={save.w}>pprof <kbd>w</kbd></button>
      </div>
      <div class="split">
        <div class="drawing" ref={ref}>
          <canvas ref={canvas} onClick={(e) => zoomTo(hit(e))} onPointerMove={(e) => setUnder(hit(e))} onPointerLeave={() => setUnder(null)} />
          {root && !root.total && <div class="empty">{frozen ? "frozen" : "nothing runs"}</div>}
          {under && root && (
            <div class="tip fixed">
              <b>{under.node.name}</b> {percent(under.node.total / root.total)} of all, {percent(under.node.self / root.total)} itself
              {tiers.has(under.node.name) && `; ${tiers.get(under.node.name).text}`}
              {under.node.change != null && `, ${under.node.change >= 0 ? "+" : "−"}${percent(Math.abs(under.node.change))}`}
            </div>
          )}
        </div>
        <section class="panel aside">
          <h3>by itself</h3>
          <dl class="pairs hot">
            {hot.map((f) => (
              <div class={found && !found(f.name) ? "faded" : ""} onClick={() => setSearch((input.current.value = f.name))}>
                <dt>
                  <i style={{ width: `${(f.self / (hot[0].self || 1)) * 100}%` }} />
                  {f.name}
                </dt>
                <dd>{percent(f.self / (root.total || 1))}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </>
  );
}
