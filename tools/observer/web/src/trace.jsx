// View 9: what chosen processes do: calls, messages, collections, so many lines a second.
import { useEffect, useState } from "preact/hooks";
import { useAsked, useKeys, useObserver } from "./hooks.js";
import { Linked } from "./process.jsx";
import { Table } from "./table.jsx";
import { count } from "./units.js";

const KEPT = 5000;

/** What is to be traced; the page keeps it when another view is shown. */
export const noTrace = { calls: "", filter: "", messages: false, collections: false, exits: false, returns: false, spawned: false, rate: 100, begin: 0, on: false };

const moment = (us) => {
  const at = new Date(us / 1000);
  const two = (n) => String(n).padStart(2, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(us % 1e6).padStart(6, "0")}`;
};
function Named({ pid, name }) {
  const { openProcess } = useObserver();
  return <a title={pid} onClick={() => openProcess(pid)}>{name || pid}</a>;
}
const mono = { style: "mono" };
const columns = [
  { key: "time", title: "time", width: "130px", ...mono, cell: (l) => moment(l.time_us) },
  { key: "process", title: "process", width: "150px", ...mono, cell: (l) => <Named pid={l.pid} name={l.name} /> },
  { key: "what", title: "what", width: "90px", cell: (l) => l.what },
  { key: "peer", title: "to or from", width: "130px", ...mono, cell: (l) => <Linked text={l.peer} /> },
  { key: "text", title: "", width: "minmax(200px, 1fr)", ...mono, cell: (l) => <span title={l.text}><Linked text={l.text} /></span> },
];

/** What each key does. */
function settings(wish, change, ask, toggle) {
  const line = (name, question) => async () => {
    const answer = await ask(question, String(wish[name]));
    if (answer !== null) change({ [name]: name === "rate" ? Math.max(1, Number(answer) || wish.rate) : answer });
  };
  return {
    m: line("calls", "calls of (M:F/A, M:F or M, several): "),
    p: line("filter", "processes (as in view 2; empty: all): "),
    R: line("rate", "lines a second, at most: "),
    s: () => change({ spawned: !wish.spawned }),
    w: () => change({ messages: !wish.messages }),
    g: () => change({ collections: !wish.collections }),
    r: () => change({ returns: !wish.returns }),
    x: () => change({ exits: !wish.exits }),
    t: toggle,
  };
}

function Settings({ wish, keys, on }) {
  const button = (key, text, style) => <button class={style} onClick={keys[key]}>{text} <kbd>{key}</kbd></button>;
  return (
    <div class="bar">
      {button("t", on ? "end" : "begin", on ? "danger" : "")}
      {button("m", `calls of ${wish.calls || "nothing"}`)}
      {button("r", `returns ${wish.returns ? "yes" : "no"}`)}
      {button("x", `exits ${wish.exits ? "yes" : "no"}`)}
      {button("w", `messages ${wish.messages ? "yes" : "no"}`)}
      {button("g", `collections ${wish.collections ? "yes" : "no"}`)}
      {button("p", wish.filter || "all processes")}
      {button("s", `what they spawn ${wish.spawned ? "yes" : "no"}`)}
      {button("R", `at most ${wish.rate} a second`)}
    </div>
  );
}

export function Trace({ wish, onWish, kept, ask }) {
  const { link, openProcess } = useObserver();
  const [said, say] = useState({});
  const [selected, select] = useState(0);
  const [top, scrollTo] = useState(0);
  const { data, again } = useAsked({ do: "trace" }, undefined, () => ({ from: kept.current.next }));
  const take = (d) => {
    if (kept.current.taken === d) return;
    const { next, lines } = kept.current;
    const fresh = d.lines.filter((l) => l.number >= next).reverse();
    kept.current = { lines: [...fresh, ...lines].slice(0, KEPT), next: Math.max(next, d.next), taken: d };
  };
  const begin = async (next) => {
    try {
      const d = await link.ask({ do: "trace", what: "start", calls: next.calls, filter: next.filter, messages: next.messages, collections: next.collections, exits: next.exits, returns: next.returns, spawned: next.spawned, rate: next.rate });
      kept.current = { lines: [], next: d.next - d.lines.length };
      take(d);
      say({ processes: d.processes, functions: d.functions });
      onWish({ ...next, begin: 0, on: true });
      again();
    } catch (e) {
      say({ error: e.message });
      onWish({ ...next, begin: 0 });
    }
  };
  const on = data ? data.on : wish.on;
  const change = (part) => (on ? begin({ ...wish, ...part }) : onWish({ ...wish, ...part }));
  const toggle = async () => {
    if (!on) return begin(wish);
    try {
      take(await link.ask({ do: "trace", what: "stop", from: kept.current.next }));
      onWish({ ...wish, on: false });
      again();
    } catch (e) {
      say({ error: e.message });
    }
  };
  if (data) take(data);
  const keys = settings(wish, change, ask, toggle);
  useKeys((key) => (keys[key] ? (keys[key](), true) : false));
  useEffect(() => void (wish.begin && begin(wish)), [wish.begin]);
  const { lines } = kept.current;
  const warning = said.error || (data?.by_another && "another observer traces") || (data?.overrun && `it ended by itself: more than ${count(data.most_a_second)} events in a second`);
  return (
    <>
      <Settings wish={wish} keys={keys} on={on} />
      <div class="bar">
        <b>{on ? "tracing" : "not tracing"}</b>
        {data && <span>{count(data.seen)} events{on && said.processes != null && ` of ${count(said.processes)} processes, ${count(said.functions)} functions`}</span>}
        {data?.left_out > 0 && <span class="lint">{count(data.left_out)} left out</span>}
        {warning && <span class="lint">{warning}</span>}
      </div>
      <Table
        columns={columns}
        count={lines.length}
        rowAt={(k) => lines[k] && { ...lines[k], id: lines[k].number }}
        selected={selected}
        onSelect={select}
        scroll={{ top }}
        onScroll={scrollTo}
        onOpen={(l) => openProcess(l.pid)}
        empty="no events"
      />
      {lines[selected]?.text.length > 60 && <pre class="whole mono"><Linked text={lines[selected].text} /></pre>}
    </>
  );
}
