/** What a process is called where it has no room for more. */
export const nameOf = (p) => p.name || p.label || p.initial || "";
