// Groups of processes, as a tree: what each uses of its budgets.
import { useRef } from "preact/hooks";
import { useAsked, useObserver } from "./hooks.js";
import { List } from "./list.jsx";
import { bytes, count, grouped } from "./units.js";

/** Rows in the order of a tree: a group before those below it. */
export function treeOf(rows) {
  const numbers = new Set(rows.map((g) => g.number)), out = [];
  const add = (parent, depth) => {
    for (const g of rows) {
      if ((numbers.has(g.parent) ? g.parent : 0) !== parent || depth > 30) continue;
      out.push({ ...g, depth, place: out.length });
      add(g.number, depth + 1);
    }
  };
  add(0, 0);
  return out;
}

const used = (key, title, of, form, budget, hint, width = "130px") => ({
  key, title, hint, width, right: true, style: "mono", value: of,
  cell: (g) => <>{form(of(g))}{g[budget] > 0 && <span class={of(g) > g[budget] ? "lint" : "of"}> of {form(g[budget])}</span>}</>,
});
const number = (key, title, hint, width = "90px") => ({ key, title, hint, width, right: true, style: "mono", value: (g) => g[key], cell: (g) => grouped(g[key]) });

const columns = [
  { key: "name", title: "group", width: "minmax(160px, 1fr)", value: (g) => -g.place, cell: (g) => <span style={{ paddingLeft: `${g.depth * 18}px` }}>{g.name || <i>without a name</i>}</span> },
  number("number", "number", "in the column `group` of processes", "64px"),
  number("processes", "processes", "that live, of it and all below it"),
  used("memory", "memory", (g) => g.memory, bytes, "memory_budget", "heaps, stacks, messages that wait, binaries", "190px"),
  used("reductions_s", "reductions/s", (g) => g.reductions_s, count, "reductions_budget", "what they spend"),
  used("messages_s", "messages/s", (g) => g.messages_s, count, "messages_budget", "what they send"),
  { ...number("waits", "waits", "times one of them waited for the budget of reductions or messages"), cell: (g) => <span class={g.waited ? "lint" : ""}>{grouped(g.waits)}</span> },
  number("exceeded", "exceeded", "times the budget of memory was exceeded"),
  { key: "when_exceeded", title: "then", width: "100px", value: (g) => g.when_exceeded, cell: (g) => g.when_exceeded },
];

export function Groups() {
  const { openProcesses } = useObserver();
  const { data, before } = useAsked({ do: "groups", limit: 5000 });
  const kept = useRef({ data: null, rows: [] });
  if (data && data !== kept.current.data) {
    const old = new Map(before?.rows.map((g) => [g.number, g])), seconds = before && (data.now_ns - before.now_ns) / 1e9;
    const change = (g, key) => (seconds > 0 && old.has(g.number) ? (g[key] - old.get(g.number)[key]) / seconds : NaN);
    kept.current = { data, rows: treeOf(data.rows).map((g) => ({ ...g, id: g.number, reductions_s: change(g, "reductions"), messages_s: change(g, "messages"), waited: g.waits > (old.get(g.number)?.waits ?? g.waits) })) };
  }
  return <List name="groups" columns={columns} rows={kept.current.rows} sort="name" onOpen={(g) => openProcesses(`group=${g.number}`)} empty={data ? "no groups: docs/policies-and-groups.md" : "asking …"} />;
}
