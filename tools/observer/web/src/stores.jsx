// View 8: the tree of supervision, and what the machine keeps beside processes. Tab goes on.
import { useAsked, useKeys, useObserver } from "./hooks.js";
import { List } from "./list.jsx";
import { Linked } from "./process.jsx";
import { Tree } from "./tree.jsx";
import { bytes, count, grouped } from "./units.js";

const text = (key, title, width, more) => ({ key, title, width, value: (r) => r[key] ?? "", cell: (r) => r[key], ...more });
const amount = (key, title, form, more) => ({ key, title, width: "90px", right: true, style: "mono", value: (r) => Number(r[key]) || 0, cell: (r) => form(Number(r[key]) || 0), ...more });
const owner = text("owner", "owner", "110px", { style: "mono", cell: (r) => <Linked text={r.owner} /> });

const PAGES = [
  { name: "tree" },
  {
    name: "tables", sort: "bytes",
    columns: [text("name", "name", "minmax(160px, 1fr)"), text("type", "type", "120px"), text("protection", "access", "100px"), amount("keypos", "key at", count),
      { key: "compressed", title: "", width: "100px", cell: (r) => (r.compressed ? "compressed" : "") }, amount("objects", "objects", grouped, { width: "110px" }), amount("bytes", "memory", bytes), owner],
  },
  {
    name: "modules", sort: "code_bytes",
    columns: [text("name", "name", "minmax(180px, 1fr)"), amount("code_bytes", "code", bytes), amount("literal_bytes", "literals", bytes), amount("functions", "functions", count),
      { key: "has_old", title: "", width: "90px", cell: (r) => r.has_old && <span class="lint">old code</span> }, text("path", "path", "minmax(200px, 2fr)", { style: "mono" })],
  },
  {
    name: "ports", sort: "id",
    columns: [text("id", "id", "110px", { style: "mono" }), text("name", "program", "minmax(180px, 1fr)"), owner, text("os_pid", "os pid", "90px", { style: "mono" }),
      amount("bytes_in", "in", bytes), amount("bytes_out", "out", bytes), amount("queue", "queued", bytes)],
  },
];

function Rows({ page }) {
  const { openProcess } = useObserver();
  const { data } = useAsked({ do: page.name, limit: 5000 });
  const rows = (data?.rows || []).map((r, k) => ({ ...r, id: `${r.id ?? r.name}/${k}` }));
  return <List key={page.name} columns={page.columns} rows={rows} sort={page.sort} onOpen={(r) => r.owner?.startsWith("<") && openProcess(r.owner)} empty={data ? "none" : "asking …"} />;
}

export function Stores({ page, onPage, kept }) {
  const { data } = useAsked(page ? { do: PAGES[page].name, limit: 1 } : null);
  useKeys((key, event) => {
    if (key !== "Tab") return false;
    onPage((page + (event.shiftKey ? PAGES.length - 1 : 1)) % PAGES.length);
    return true;
  });
  return (
    <>
      <div class="bar">
        <div class="tabs">
          {PAGES.map((p, k) => (
            <button class={k === page ? "on" : ""} onClick={() => onPage(k)}>{p.name}</button>
          ))}
          <kbd>Tab</kbd>
        </div>
        {page > 0 && data && (
          <span>
            <b>{grouped(data.total)}</b> {PAGES[page].name}{data.bytes != null && `, ${bytes(data.bytes)}`}
          </span>
        )}
        {page === 0 && <span class="note">processes by who spawned them and is linked to them</span>}
      </div>
      {page === 0 ? <Tree kept={kept} /> : <Rows page={PAGES[page]} />}
    </>
  );
}
