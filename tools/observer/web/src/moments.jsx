// Two moments compared: M marks one, D shows what has changed since, of processes and of everything that is counted.
import { useEffect, useState } from "preact/hooks";
import { countedDifference, difference, DIFFERENCES, takeSnapshot } from "./difference.js";
import { useAsked, useKeys, useObserver } from "./hooks.js";
import { List } from "./list.jsx";
import { nameOf } from "./names.js";
import { duration, signed } from "./units.js";

export const differenceColumns = [
  { key: "pid", title: "pid", width: "138px", style: "mono", value: (p) => p.pid, cell: (p) => p.pid },
  { key: "name", title: "name, label or start", width: "minmax(120px, 1fr)", value: nameOf, cell: (p) => <span class={p.name ? "named" : ""}>{nameOf(p)}</span> },
  { key: "fate", title: "", width: "70px", value: (p) => p.fate, cell: (p) => <span class={`fate ${p.fate}`}>{p.fate}</span> },
  ...DIFFERENCES.map((d) => ({ key: d.key, title: `Δ ${d.title}`, width: "100px", right: true, style: "mono", value: (p) => Math.abs(p[d.key]),
    cell: (p) => <span class={p[d.key] > 0 ? "grew" : p[d.key] < 0 ? "shrank" : ""}>{p[d.key] ? d.format(p[d.key]) : ""}</span> })),
  { key: "fn", title: "where", width: "minmax(140px, 1fr)", style: "mono", value: (p) => p.fn || "", cell: (p) => p.fn },
];


const change = (n, row) => <span class={n > 0 ? "grew" : n < 0 ? "shrank" : ""}>{n ? signed(n, row.form) : ""}</span>;
const countedColumns = [
  { key: "title", title: "what", width: "180px", value: (r) => r.title, cell: (r) => r.title },
  { key: "group", title: "of", width: "80px", value: (r) => r.group, cell: (r) => r.group },
  { key: "was", title: "then", width: "100px", right: true, style: "mono", value: (r) => r.was, cell: (r) => r.form(r.was) },
  { key: "is", title: "now", width: "100px", right: true, style: "mono", value: (r) => r.is, cell: (r) => r.form(r.is) },
  { key: "by", title: "by", width: "110px", right: true, style: "mono", value: (r) => Math.abs(r.by), cell: (r) => change(r.by, r) },
  { key: "rate", title: "a second", width: "110px", right: true, style: "mono", value: (r) => Math.abs(r.rate), cell: (r) => change(r.rate, r) },
  { key: "minute", title: "a minute", width: "110px", right: true, style: "mono", value: (r) => Math.abs(r.rate), cell: (r) => change(r.rate * 60, r) },
];

/** { home, processes } of this moment. */
export async function takeMoment(link) {
  const home = await link.ask({ do: "home" });
  return { home, processes: await takeSnapshot(link, "") };
}

/** Some passes over all processes: so rarely that they take a twentieth of the time. */
function useChanges(base, wanted) {
  const { link, frozen } = useObserver();
  const [rows, set] = useState(null);
  useEffect(() => {
    let over = !wanted, timer;
    const look = async () => {
      const begin = performance.now();
      let pause = 1000;
      if (!frozen && !document.hidden) {
        try {
          const now = await takeSnapshot(link, "");
          pause = Math.min(10000, Math.max(1000, 20 * (performance.now() - begin)));
          const changes = await difference(link, base, now);
          if (!over) set(changes);
        } catch {
          // link says so to everyone
        }
      }
      if (!over) timer = setTimeout(look, pause);
    };
    if (wanted) look();
    return () => ((over = true), clearTimeout(timer));
  }, [base, frozen, wanted]);
  return rows;
}

export function Since({ moment, counted, onPage, onMark, onBack }) {
  const { openProcess } = useObserver();
  const { data: now } = useAsked({ do: "home" });
  const rows = useChanges(moment.processes, !counted);
  useKeys((key) => {
    if (key === "Tab") onPage(!counted);
    else if (key === "b" || key === "Escape") onBack();
    else return false;
    return true;
  });
  const seconds = now ? now.uptime_ns - moment.home.uptime_ns : 0;
  return (
    <>
      <div class="bar">
        <b>Since {moment.processes.at.toLocaleTimeString("en-GB")}</b> {duration(seconds)}
        <button class={counted ? "" : "on"} onClick={() => onPage(false)}>processes</button>
        <button class={counted ? "on" : ""} onClick={() => onPage(true)}>counters <kbd>Tab</kbd></button>
        <span class="note">{counted ? "counters that have not changed are left out" : "of those with most, then and now, by reductions, memory, queue and binaries; rose: was not among them"}</span>
        <span class="grow" />
        <button onClick={onMark}>mark anew <kbd>M</kbd></button>
        <button onClick={onBack}>back <kbd>D</kbd></button>
      </div>
      {counted ? (
        <List key="counted" name="counted since" columns={countedColumns} rows={now ? countedDifference(moment.home, now) : []} empty="asking …" />
      ) : (
        <List key="processes" name="processes since" columns={differenceColumns} rows={rows || []} sort="reds" onOpen={(p) => openProcess(p.pid)} empty={rows ? "nothing has changed" : "asking …"} />
      )}
    </>
  );
}
