// View 7: native code: how much there is of each tier, the functions that are hot, and one of them
// line by line with its machine code (which the observer's end takes apart, not the page).
import { useState } from "preact/hooks";
import { useAsked, useKeys } from "./hooks.js";
import { List } from "./list.jsx";
import { settings } from "./socket.js";
import { bytes, count, duration, percent } from "./units.js";

const FORMS = { ns: ["time to make it", duration], bytes: ["bytes", bytes] };
const number = (key, title, form, width = "100px") => ({ key, title, width, right: true, style: "mono", value: (r) => r[key], cell: (r) => (r[key] ? form(r[key]) : "") });
const COLUMNS = [
  { key: "fn", title: "function", width: "minmax(220px, 2fr)", style: "mono", value: (r) => r.fn, cell: (r) => r.fn },
  { key: "tier", title: "tier", width: "100px", value: (r) => r.tier, cell: (r) => r.tier },
  number("samples", "samples", count), number("code", "code", bytes), number("instructions", "instructions", count, "110px"),
  number("returns", "went back", count),
];
/** What counts returns to the interpreter, and what it means. */
const RETURNS = {
  traced: "functions with a breakpoint: calls reach them through the interpreter",
  interpreted: "functions that a breakpoint made the interpreter run",
  unloaded: "functions whose module was replaced or deleted",
  native_left: "times that code left what it was not made for to the interpreter",
};

function Tier({ name, tier }) {
  return (
    <section class="panel">
      <h3>{name}</h3>
      <dl class="pairs">
        {Object.entries(tier).map(([key, value]) => {
          const [title, form] = FORMS[key] || [key.replaceAll("_", " "), count];
          return (
            <div>
              <dt title={RETURNS[key]}>{RETURNS[key] && "↩ "}{title}</dt>
              <dd>{typeof value === "number" ? form(value) : String(value)}</dd>
            </div>
          );
        })}
        {tier.functions > 0 && tier.ns != null && (
          <div>
            <dt>a function took</dt>
            <dd>{duration(tier.ns / tier.functions)}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function Code({ name, onBack }) {
  const { data, error } = useAsked({ do: "code", function: name }, Math.max(3000, settings.interval));
  return (
    <>
      <div class="bar">
        <button onClick={onBack}>back <kbd>b</kbd></button>
        <b class="mono">{name}</b>
        {data && <span>{data.tier}, {bytes(data.code_bytes)} of machine code</span>}
        {data && <span class="note">{data.samples ? `${count(data.samples)} samples` : "no samples: view 6 takes them"}</span>}
      </div>
      {error && !data ? <div class="empty">{error}</div> : (
        <ol class="code">
          {(data?.lines || []).map(([kind, text, , samples]) => (
            <li class={kind}>
              {kind === "source" && <i title="of the samples of this function, those with this line on their stack">{samples ? percent(samples / data.samples) : ""}</i>}
              {text}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

export function Jit({ ask }) {
  const [name, open] = useState("");
  const { data } = useAsked(name ? null : { do: "jit", limit: 1000 });
  useKeys((key) => {
    if (key === "/") ask("function M:F/A: ", name).then((text) => text && open(text.trim()));
    else if (name && (key === "b" || key === "Backspace" || key === "Escape")) open("");
    else return false;
    return true;
  });
  if (name) return <Code name={name} onBack={() => open("")} />;
  if (!data) return <div class="empty">asking …</div>;
  if (!data.on) return <div class="empty">The machine interprets (--jit off).</div>;
  const tiers = Object.entries(data).filter(([, tier]) => tier && typeof tier === "object" && !Array.isArray(tier));
  return (
    <>
      <div class="columns tiers"><div class="flow">{tiers.map(([title, tier]) => <Tier name={title} tier={tier} />)}</div></div>
      <List name="functions" columns={COLUMNS} rows={data.rows.map((r) => ({ ...r, id: r.fn, code: r.bytes + (r.hot_bytes || 0) }))} sort="samples" onOpen={(r) => open(r.fn)} empty="none yet" />
    </>
  );
}
