/** What a process is called where it has no room for more. */
export const nameOf = (p) => p.name || p.label || p.initial || "";
/** A machine by its program. */
export const programOf = (hello) => hello?.program?.replace(/.*\//, "").replace(/\.beam$/, "");
