// View 7: native code.
import { useAsked } from "./hooks.js";
import { bytes, count, duration } from "./units.js";

const FORMS = { ns: ["time to make it", duration], bytes: ["bytes", bytes] };

export function Jit() {
  const { data } = useAsked({ do: "jit" });
  if (!data) return <div class="empty">asking …</div>;
  if (!data.on) return <div class="empty">The machine interprets (--jit off).</div>;
  const tiers = Object.entries(data).filter(([, tier]) => tier && typeof tier === "object" && !Array.isArray(tier));
  return (
    <div class="columns">
      {tiers.map(([name, tier]) => (
        <section class="panel">
          <h3>{name}</h3>
          <dl class="pairs">
            {Object.entries(tier).map(([key, value]) => {
              const [title, form] = FORMS[key] || [key.replaceAll("_", " "), count];
              return (
                <div>
                  <dt>{title}</dt>
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
      ))}
    </div>
  );
}
