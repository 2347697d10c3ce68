// What is shown has an address, which links, Back and Forward lead to: #home, #process/<0.7.7>, #schedulers/collections,
// #flame/<0.7.7> (of one process), #system/tables, #exits/<0.7.7> (how it ended).
import { SCHEDULER_PAGES } from "./schedulers.jsx";
import { PAGE_NAMES, pageOf } from "./stores.jsx";

export const VIEWS = ["Home", "Processes", "Process", "Schedulers", "Timeline", "Flame", "JIT", "System", "Trace", "Exits"];
export const nameOfView = (view) => VIEWS[(view + 9) % 10];

/** Of the page itself, to whoever reads it: one machine's, or all of them. Other settings stay. */
export function pageAddress(machine) {
  const query = new URLSearchParams(location.search);
  if (machine) query.set("machine", machine);
  else query.delete("machine");
  return `?${query}#${machine ? "home" : "machines"}`;
}

/** `more`: a pid or name, or a page's name. */
export const address = (view, more) => `#${nameOfView(view).toLowerCase()}${more ? `/${encodeURIComponent(more)}` : ""}`;

/** { view, more } of an address, or null. */
export function placeOf(hash) {
  const [name, more] = hash.slice(1).split("/");
  const k = VIEWS.findIndex((v) => v.toLowerCase() === name);
  try {
    return k < 0 ? null : { view: (k + 1) % 10, more: decodeURIComponent(more || "") };
  } catch {
    return null;
  }
}

export const storesPageOf = (name) => Math.max(0, PAGE_NAMES.indexOf(name));
export const schedulersPageOf = (name) => Math.max(0, SCHEDULER_PAGES.indexOf(name));

/** The view that explains a warning has its key; what is to be shown there is by what it leads to. Null: it is on this page. */
export function wayFrom(warning) {
  const view = Number(warning.key);
  if (view === 1) return null;
  if (view === 8) {
    const page = PAGE_NAMES[pageOf(warning.leads_to)];
    return { name: page, address: address(8, page) };
  }
  const more = view === 0 ? warning.other : view === 3 || view === 6 ? warning.pid : "";
  return { name: nameOfView(view), address: address(view, more) };
}

/** Who else has to do with it; who has ended is shown among the exits. */
export const otherOf = (warning) => address(warning.leads_to === "exits" ? 0 : 3, warning.other);
