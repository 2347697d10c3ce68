// View 0: who has ended abnormally, the newest first; below, the chosen one with its stack.
import { useEffect, useState } from "preact/hooks";
import { useAsked } from "./hooks.js";
import { List } from "./list.jsx";
import { Linked } from "./process.jsx";
import { duration, grouped } from "./units.js";

const nameOf = (r) => r.name || r.label || r.initial;

const COLUMNS = [
  { key: "number", title: "ago", width: "90px", right: true, style: "mono", value: (r) => r.number, cell: (r) => duration(r.age_ns) },
  { key: "pid", title: "pid", width: "130px", style: "mono", value: (r) => r.pid, cell: (r) => r.pid },
  { key: "name", title: "name or start", width: "minmax(160px, 1fr)", value: nameOf, cell: nameOf },
  { key: "reason", title: "reason", width: "minmax(240px, 3fr)", style: "mono", value: (r) => r.reason, cell: (r) => r.reason },
  { key: "alike", title: "alike", width: "80px", right: true, style: "mono", value: (r) => r.alike, cell: (r) => (r.alike > 1 ? grouped(r.alike) : "") },
  { key: "supervisor", title: "under", width: "150px", value: (r) => r.supervisor, cell: (r) => r.supervisor && <><Linked text={r.supervisor} />{r.child && <small> {r.child}</small>}</> },
];

function One({ exit: e }) {
  return (
    <section class="exit">
      <h3>
        <span class="mono">{e.pid}</span> {nameOf(e)}
      </h3>
      <p class="note line">
        started as {e.initial}{e.supervisor && <>, under <Linked text={e.supervisor} />{e.child && ` as child ${e.child}`}</>}{e.parent && <>, spawned by <Linked text={e.parent} /></>}, {new Date(e.wall_ms).toLocaleTimeString()}
        {e.alike > 1 && `; ${grouped(e.alike)} alike, the first ${duration(e.first_age_ns)} ago, the last ${duration(e.last_age_ns)} ago`}
      </p>
      <pre>{e.reason}</pre>
      <ol class="mono">
        {e.stack.map((f) => (
          <li>
            {f.fn} {f.file && <span class="note" title={f.file}>{f.file.replace(/.*\//, "")}:{f.line}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** pid: who is shown at first. */
export function Exits({ pid }) {
  const { data } = useAsked({ do: "exits", most: 1000 });
  const [chosen, choose] = useState(null);
  useEffect(() => choose(null), [pid]);
  const rows = (data?.rows || []).map((r) => ({ ...r, id: r.number }));
  const shown = rows.find((r) => r.number === chosen) || rows.find((r) => r.pid === pid) || rows[0];
  return (
    <>
      {data && (
        <p class="note line">
          {grouped(data.abnormal)} abnormal exits{data.unrecorded > 0 && `, ${grouped(data.unrecorded)} of them only counted`}. Enter shows one.
        </p>
      )}
      <List name="exits" columns={COLUMNS} rows={rows} sort="number" onOpen={(r) => choose(r.number)} empty={data ? "nobody has ended abnormally" : "asking …"} />
      {shown && <One exit={shown} />}
    </>
  );
}
