// Colours for what is drawn on canvases: the same variables as the style sheet's.
import { useEffect, useState } from "preact/hooks";

const dark = matchMedia("(prefers-color-scheme: dark)");
let colours = null;
dark.addEventListener("change", () => (colours = null));

/** ink, soft, faint, line, ground, panel, accent, amber, red and series (a list). */
export function theme() {
  if (colours) return colours;
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  colours = { dark: dark.matches, series: [1, 2, 3, 4, 5, 6].map((k) => get(`series-${k}`)) };
  for (const name of ["ink", "soft", "faint", "line", "ground", "panel", "accent", "amber", "red"]) {
    colours[name] = get(name);
  }
  colours.font = `11px ${get("mono")}`;
  colours.label = `11px ${get("sans")}`;
  return colours;
}

/** theme(), and drawing anew when the system changes between light and dark. */
export function useTheme() {
  const [, set] = useState(0);
  useEffect(() => {
    const change = () => set((n) => n + 1);
    dark.addEventListener("change", change);
    return () => dark.removeEventListener("change", change);
  }, []);
  return theme();
}

/** A canvas as large as its element, in device pixels; returns its context in CSS pixels. */
export function paper(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.clearRect(0, 0, width, height);
  return context;
}
