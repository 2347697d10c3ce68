// Columns that several lists have.
import { Linked } from "./process.jsx";

export const text = (key, title, width, more) => ({ key, title, width, value: (r) => r[key] ?? "", cell: (r) => r[key], ...more });
export const amount = (key, title, form, more) => ({ key, title, width: "90px", right: true, style: "mono", value: (r) => Number(r[key]) || 0, cell: (r) => form(Number(r[key]) || 0), ...more });
/** Who has made or searched it, and where. */
export const maker = (key, title, of) => ({ key, title, width: "minmax(200px, 2fr)", value: (r) => of(r)?.fn || of(r)?.name || "",
  cell: (r) => of(r) && <><Linked text={of(r).pid} /> {of(r).name} <span class="mono">{of(r).fn}{of(r).line ? `:${of(r).line}` : ""}</span></> });
export const owner = text("owner", "owner", "110px", { style: "mono", cell: (r) => <Linked text={r.owner} /> });
