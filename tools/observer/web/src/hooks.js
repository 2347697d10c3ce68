// What views share: the link, asking again and again, keys.
import { createContext } from "preact";
import { useContext, useEffect, useReducer, useRef, useState } from "preact/hooks";
import { settings } from "./socket.js";

/** { link, hello, columns, frozen, openProcess(pid), actions } */
export const Observer = createContext(null);
export const useObserver = () => useContext(Observer);

/**
 * Asks once an interval, not while frozen or hidden, and never twice at a time. `request`: an object,
 * or null for nothing. Changing it asks at once. Returns { data, before, error, again }. `more()`:
 * what is added each time.
 */
export function useAsked(request, interval = settings.interval, more) {
  const { link, frozen } = useObserver();
  const [state, set] = useState({});
  const key = request && JSON.stringify(request);
  const [turn, again] = useReducer((n) => n + 1, 0);
  const last = useRef(null);
  useEffect(() => {
    if (!key) return;
    let over = false, timer;
    const fresh = last.current !== key || turn;
    const ask = async (first) => {
      if (!over && (first || (!frozen && !document.hidden))) {
        try {
          const data = await link.ask({ ...JSON.parse(key), ...more?.() });
          last.current = key;
          if (!over) set((s) => ({ data, before: s.key === key ? s.data : undefined, key }));
        } catch (e) {
          if (!over) set((s) => ({ ...s, error: e.message }));
        }
      }
      if (!over) timer = setTimeout(ask, interval);
    };
    ask(fresh);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [key, frozen, interval, turn]);
  return { ...state, again };
}

/** Keys of the views that are shown, the innermost last. */
const handlers = [];
export function useKeys(handler) {
  const current = useRef(handler);
  current.current = handler;
  useEffect(() => {
    const f = (name, event) => current.current(name, event);
    handlers.push(f);
    return () => handlers.splice(handlers.indexOf(f), 1);
  }, []);
}

const isTyping = (e) => /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  for (let k = handlers.length; k-- > 0; ) {
    if (handlers[k](event.key, event)) {
      event.preventDefault();
      return;
    }
  }
});

/** The size of an element, as it changes. */
export function useSize() {
  const ref = useRef(null);
  const [size, set] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => {
      const { width, height } = entry.contentRect;
      set({ width: Math.floor(width), height: Math.floor(height) });
    });
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return [ref, size];
}
