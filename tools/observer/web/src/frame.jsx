// What stands around views: the sign at the top, questions at the bottom, the list of keys.
import { useLayoutEffect, useRef } from "preact/hooks";

export function Logo() {
  return (
    <span class="logo">
      <svg viewBox="0 0 16 16"><path d="M8 1c4 2.5 5.5 6 0 12C2.500 7 4 3.500 8 1zM8 5v10" /></svg>
      <span>whitebeam</span>
    </span>
  );
}

export function Prompt({ question, line, onDone }) {
  const input = useRef(null);
  useLayoutEffect(() => input.current.focus(), []); // before the next key
  return (
    <label class="prompt">
      {question}
      <input
        ref={input}
        defaultValue={line}
        onBlur={() => onDone(null)}
        onKeyDown={(e) => {
          if (e.key === "Enter") onDone(e.target.value);
          if (e.key === "Escape") onDone(null);
        }}
      />
    </label>
  );
}

/** keys: [[which, what they do]]. */
export function Help({ keys, onClose }) {
  return (
    <div class="veil" onClick={onClose}>
      <dl class="help">
        {keys.map(([which, what]) => (
          <div>
            <dt>{which}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
