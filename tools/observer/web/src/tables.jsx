// ETS tables: how much each is used, and what is in one.
import { useRef, useState } from "preact/hooks";
import { amount, maker, owner, text } from "./columns.jsx";
import { useAsked, useKeys } from "./hooks.js";
import { List } from "./list.jsx";
import { Linked } from "./process.jsx";
import { bytes, count, grouped, percent } from "./units.js";

const PAGE = 100;

const rate = (key, title, form, hint) => amount(key, title, form, { hint, width: "76px", value: (t) => t[key] || 0, cell: (t) => (t[key] == null ? "–" : form(t[key])) });
const columns = [
  text("name", "name", "minmax(160px, 1fr)"), text("type", "type", "110px"), amount("objects", "objects", grouped, { width: "100px" }), amount("bytes", "memory", bytes),
  rate("reads_s", "reads/s", count, "estimated: one of 256 operations is looked at"), rate("writes_s", "writes/s", count, "estimated: one of 256 operations is looked at"),
  rate("time", "time", percent, "of a core, in operations on it; estimated"), rate("waits_s", "waits/s", count, "for its locks"), rate("waiting", "waiting", percent, "of a core, for its locks"),
  amount("searched", "searched", count, { hint: "objects that searches have looked at" }), maker("searcher", "searched by", (t) => t.searcher), owner, text("protection", "access", "80px"),
  amount("searches", "searches", count), amount("keypos", "key at", count), { key: "compressed", title: "packed", width: "100px", cell: (t) => (t.compressed ? "compressed" : "") },
];

/** With what has happened since the look before, a second. */
function rates(data, before) {
  const old = new Map(before?.rows.map((t) => [t.id, t])), seconds = before && (data.now_ns - before.now_ns) / 1e9;
  const since = (t, key) => (seconds > 0 && old.has(t.id) && t[key] != null ? (t[key] - old.get(t.id)[key]) / seconds : undefined);
  const share = (n) => (n == null ? n : n / 1e9);
  return data.rows.map((t) => ({ ...t, reads_s: since(t, "reads"), writes_s: since(t, "writes"), time: share(since(t, "used_ns")), waits_s: since(t, "lock_waits"), waiting: share(since(t, "lock_wait_ns")) }));
}

/** What is in one, page by page. */
function Contents({ table, onBack }) {
  const [match, setMatch] = useState("");
  const [places, setPlaces] = useState([""]);
  const input = useRef(null);
  const { data, error } = useAsked({ do: "table", table: table.id, match, limit: PAGE, from: places[places.length - 1] });
  const next = () => data?.next && setPlaces((p) => [...p, data.next]);
  const previous = () => setPlaces((p) => (p.length > 1 ? p.slice(0, -1) : p));
  useKeys((key) => {
    if (key === "b" || key === "Escape") onBack();
    else if (key === "n") next();
    else if (key === "p") previous();
    else if (key === "/") input.current?.focus();
    else return false;
    return true;
  });
  const rows = (data?.rows || []).map((object, k) => ({ id: k, object }));
  return (
    <>
      <div class="bar">
        <button onClick={onBack}>tables <kbd>b</kbd></button>
        <b>{table.name}</b> {data && <span>{grouped(data.objects)} objects</span>}
        <label class={`filter ${error ? "wrong" : ""}`}>
          <kbd>/</kbd>
          <input
            ref={input}
            placeholder="{_, pattern}  or  [{{'$1', _}, [{'>', '$1', 7}], ['$_']}]"
            spellcheck={false}
            onKeyDown={(e) => {
              if (e.key === "Enter") setMatch(e.target.value), setPlaces([""]);
              if (e.key === "Escape") e.target.value = match;
              if (e.key === "Enter" || e.key === "Escape") e.target.blur();
            }}
          />
        </label>
        {error && <span class="error">{error}</span>}
        <span class="grow" />
        {data?.left_out > 0 && <span class="note">{grouped(data.left_out)} more of one key are not shown</span>}
        <button disabled={places.length < 2} onClick={previous}>before <kbd>p</kbd></button>
        <span>page {places.length}</span>
        <button disabled={!data?.next} onClick={next}>next <kbd>n</kbd></button>
      </div>
      <List name="contents" columns={[{ key: "object", title: "objects", width: "minmax(300px, 1fr)", style: "mono", tip: (r) => r?.object, cell: (r) => <Linked text={r.object} /> }]} rows={error ? [] : rows} quiet={["n", "p"]}
        empty={error || (data ? (data.next ? `nothing among ${grouped(data.looked_at)} objects: n looks at more` : "nothing more") : "asking …")} />
    </>
  );
}

export function Tables() {
  const [table, open] = useState(null);
  const { data, before } = useAsked(table ? null : { do: "tables", limit: 5000 });
  const kept = useRef({ data: null, rows: [] });
  if (data?.rows && data !== kept.current.data) kept.current = { data, rows: rates(data, before) };
  if (table) return <Contents table={table} onBack={() => open(null)} />;
  return <List name="tables" columns={columns} rows={kept.current.rows} sort="bytes" onOpen={open} empty={data ? "none" : "asking …"} />;
}
