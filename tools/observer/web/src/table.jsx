// A table of any length: only the rows that are seen are there. All rows are as high as each other, so
// where a row is needs no measuring. No column is cut: those that have no room are left out, the last first, until the
// user chooses which are shown; the choice is kept, by the table's name.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeys, useSize } from "./hooks.js";

export const ROW = 24;
const SPARE = 6;
const GAP = 14, EDGES = 14 + 34;

const least = (c) => Number(/(\d+)px/.exec(c.width)?.[1] ?? 60);

/** As many of the first as have room, and the one that is sorted by. */
function fitting(columns, width, sorted) {
  let left = width - EDGES + GAP;
  const must = columns.find((c) => c.key === sorted);
  if (must) left -= least(must) + GAP;
  return columns.filter((c) => c === must || (left -= least(c) + GAP) >= 0);
}

/** What the user has chosen, or null; it outlives the page. */
function useChosen(name) {
  const place = name && `columns of ${name}`;
  const [chosen, set] = useState(() => {
    try {
      return JSON.parse(localStorage.getItem(place));
    } catch {
      return null;
    }
  });
  const choose = (keys) => {
    set(keys);
    try {
      if (keys) localStorage.setItem(place, JSON.stringify(keys));
      else localStorage.removeItem(place);
    } catch {
      // a browser that keeps nothing
    }
  };
  return [place ? chosen : null, choose];
}

function Chooser({ all, shown, chosen, choose }) {
  const [open, setOpen] = useState(false);
  const keys = shown.map((c) => c.key);
  const turn = (key) => choose(all.map((c) => c.key).filter((k) => (k === key ? !keys.includes(k) : keys.includes(k))));
  return (
    <>
      <button class={`choose ${chosen ? "on" : ""}`} title={`columns: ${keys.length} of ${all.length}`} onClick={() => setOpen(!open)}>⋯</button>
      {open && (
        <div class="choices">
          {all.filter((c) => c.title).map((c) => (
            <label title={c.hint}>
              <input type="checkbox" checked={keys.includes(c.key)} onChange={() => turn(c.key)} /> {c.title}
            </label>
          ))}
          <button onClick={() => (choose(null), setOpen(false))}>as many as have room</button>
        </div>
      )}
    </>
  );
}

/**
 * name: of the table, for what is kept. columns: [{ key, title, width (CSS, beginning with its least), right, sortable, cell(row), hint }]
 * rowAt(k): a row, or undefined while it is not known; its `id` marks it
 * selected, onSelect(k): an index; onOpen(row, k); onSort(key); onWindow(first, last)
 */
export function Table(p) {
  const [ref, size] = useSize();
  const scroller = useRef(null);
  const top = p.scroll.top;
  const visible = Math.ceil(size.height / ROW) || 1;
  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const last = Math.min(p.count, Math.floor(top / ROW) + visible + SPARE);
  const [chosen, choose] = useChosen(p.name);
  const columns = chosen ? p.columns.filter((c) => chosen.includes(c.key)) : size.width ? fitting(p.columns, size.width, p.sorted) : p.columns;
  const template = columns.map((c) => c.width).join(" ");
  const style = { gridTemplateColumns: template, minWidth: chosen ? `${columns.reduce((n, c) => n + least(c) + GAP, EDGES)}px` : undefined };

  useEffect(() => p.onWindow?.(first, last), [first, last]);
  useLayoutEffect(() => {
    if (scroller.current && Math.abs(scroller.current.scrollTop - top) > 1) scroller.current.scrollTop = top;
  }, [top]);

  const select = (k) => {
    k = Math.max(0, Math.min(p.count - 1, k));
    p.onSelect(k);
    const body = size.height - ROW - 4;
    if (k * ROW < top) p.onScroll(k * ROW);
    if ((k + 1) * ROW > top + body) p.onScroll((k + 1) * ROW - body);
  };
  useKeys((key) => {
    const page = Math.max(1, visible - 2);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, n: page, p: -page };
    if (p.quiet?.includes(key)) return false;
    if (key in steps) select((p.selected ?? -1) + steps[key]);
    else if (key === "Home" || key === "g") select(0);
    else if (key === "End" || key === "G") select(p.count - 1);
    else if (key === "Enter" && p.onOpen && p.rowAt(p.selected)) p.onOpen(p.rowAt(p.selected), p.selected);
    else return false;
    return true;
  });

  const rows = [];
  for (let k = first; k < last; ++k) rows.push(k);
  return (
    <div class="table" ref={ref} role="table">
      <div class="scroller" ref={scroller} onScroll={(e) => p.onScroll(e.currentTarget.scrollTop)}>
        <div class="head" role="row" style={style}>
          {columns.map((c) => (
            <div
              role="columnheader"
              title={c.hint}
              class={`${c.right ? "right" : ""} ${c.sortable ? "sortable" : ""} ${p.sorted === c.key ? "sorted" : ""}`}
              onClick={() => c.sortable && p.onSort(c.key)}
            >
              {c.title}
              {p.sorted === c.key && <span class="arrow">{p.ascending ? "▲" : "▼"}</span>}
            </div>
          ))}
        </div>
        <div class="body" style={{ height: `${p.count * ROW}px` }}>
          {rows.map((k) => {
            const row = p.rowAt(k);
            return (
              <div
                key={row?.id ?? `at${k}`}
                role="row"
                class={`row ${k === p.selected ? "selected" : ""} ${row?.tone || ""} ${row ? "" : "unknown"}`}
                style={{ ...style, transform: `translateY(${k * ROW}px)` }}
                onClick={() => p.onSelect(k)}
                onDblClick={() => row && p.onOpen?.(row, k)}
              >
                {columns.map((c) => (
                  <div role="cell" title={c.tip?.(row)} class={`${c.right ? "right" : ""} ${c.style || ""}`}>
                    {row && c.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
        {p.count === 0 && <div class="empty">{p.empty || "nothing"}</div>}
      </div>
      {p.name && <Chooser all={p.columns} shown={columns} chosen={chosen} choose={choose} />}
    </div>
  );
}
