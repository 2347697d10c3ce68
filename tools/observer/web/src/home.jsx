// View 1: the machine as a whole, now and in the last minutes.
import { useContext } from "preact/hooks";
import { Chart } from "./chart.jsx";
import { Observer, useAsked, useObserver } from "./hooks.js";
import { address, otherOf, wayFrom } from "./places.js";
import { bytes, count, duration, grouped, percent } from "./units.js";

/** Red over 85 % of its limit. */
const isFull = (now, limit) => limit > 0 && now > 0.85 * limit;

/** `to`: the address of the view that has more of it. */
function Tile({ name, value, of, part, alarm, to }) {
  return (
    <a class={`tile ${alarm ? "alarm" : ""}`} href={to}>
      <small>{name}</small>
      <b>{value}</b>
      <span>{of}</span>
      {part != null && (
        <div class="meter">
          <i style={{ width: `${Math.min(100, part * 100)}%` }} />
        </div>
      )}
    </a>
  );
}

/** How it grows, a second and a minute. */
function Growth({ history, group, name, form }) {
  const part = (seconds, per) => {
    const n = history.growth(group, name, seconds);
    return n ? `${n > 0 ? "+" : ""}${form(n)}/${per}` : "";
  };
  const text = [part(1, "s"), part(60, "min")].filter((t) => t).join(" ");
  return text && <span class="of growth">{text}</span>;
}

// Where there is more of each count and kind of memory: an address, and what processes are ordered by there.
const by = (order) => ({ to: address(2), order });
const COUNTED = {
  processes: { to: address(2) }, atoms: { to: address(8, "atoms") }, ports: { to: address(8, "ports") }, tables: { to: address(8, "tables") }, modules: { to: address(8, "modules") },
  persistent_terms: { to: address(8, "terms") }, binaries: by("binaries"), timers: { to: address(8, "timers") },
};
const HELD = {
  heaps: by("memory"), binaries: by("binaries"), tables: COUNTED.tables, timers: COUNTED.timers, code: COUNTED.modules, atoms: COUNTED.atoms, persistent_terms: COUNTED.persistent_terms,
  other: { to: address(8, "memory") },
};
function Lead({ to, children }) {
  const { orderProcesses } = useObserver();
  return to ? <a href={to.to} onClick={() => to.order && orderProcesses(to.order)}>{children}</a> : children;
}

function Counts({ counts, history }) {
  return (
    <section class="panel">
      <h3>Counts and limits</h3>
      <dl class="facts">
        {Object.entries(counts).map(([name, c]) => (
          <div class={isFull(c.now, c.limit) ? "alarm" : ""}>
            <dt><Lead to={COUNTED[name]}>{name.replace("_", " ")}</Lead></dt>
            <dd>
              <Growth history={history} group="counts" name={name} form={count} />
              <b>{grouped(c.now)}</b>
              <span class="of">{c.limit ? `of ${count(c.limit)}` : ""}</span>
              <span class="meter">{c.limit > 0 && <i style={{ width: `${(c.now / c.limit) * 100}%` }} />}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Memory({ memory, os, history }) {
  const parts = ["heaps", "binaries", "tables", "timers", "code", "atoms", "persistent_terms", "other"];
  return (
    <section class="panel">
      <h3>
        Memory <span class="note">{bytes(memory.total)} accounted, {bytes(os.resident)} resident</span>
      </h3>
      <div class="stack-bar">
        {parts.map((p, k) => (
          <i class={`fill-${k + 1}`} style={{ flexGrow: memory[p] }} title={`${p} ${bytes(memory[p])}`} />
        ))}
      </div>
      <dl class="facts">
        {parts.map((p, k) => (
          <div>
            <dt>
              <i class={`dot fill-${k + 1}`} />
              <Lead to={HELD[p]}>{p.replace("_", " ")}</Lead>
            </dt>
            <dd>
              <Growth history={history} group="memory" name={p} form={bytes} />
              <b>{bytes(memory[p])}</b>
              <span class="of">{percent(memory[p] / (memory.total || 1))}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Way({ of }) {
  const way = wayFrom(of);
  return way ? <a class="way" title="to the view that explains it" href={way.address}>{way.name} <kbd>{of.key}</kbd></a> : <span />;
}

/** What looks wrong in the whole machine, the worst first: each as the terminal's warnings_text.cc has it, and a way to the view that explains it. */
function Warnings() {
  const { data } = useAsked({ do: "warnings" }, 1000); // of the machine's last look
  if (!data?.total) return null;
  return (
    <section class="panel warnings">
      <h3>
        Warnings <span class="note">{grouped(data.total)}</span>
      </h3>
      <ul>
        {data.rows.map((w) => (
          <li>
            <Way of={w} />
            <span class="lint">{w.what.replaceAll("_", " ")}</span>
            <p>
              {(w.name || w.pid) && <>{w.pid ? <a href={address(3, w.pid)}>{w.name || w.pid}</a> : w.name}: </>}
              {w.text}
              {w.fn && <>, in <span class="mono">{w.fn}{w.line && ` ${w.file.replace(/.*\//, "")}:${w.line}`}</span></>}
              {w.other && <>, <a href={otherOf(w)}>{w.other_name || w.other}</a></>}{" "}
              <span class="note">{w.why}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Itself({ home, cost }) {
  const o = home.observer;
  const rows = [
    ["this observer", cost == null ? "–" : `${percent(cost)} of a core`],
    ["its memory in the machine", bytes(o.memory)],
    ["its last answer took", duration(o.last_request_ns)],
    ["connections", o.connections],
    ["program's time", `${duration(home.os.user_us * 1e3)} + ${duration(home.os.system_us * 1e3)} system`],
    ["dirty threads", `${home.dirty.cpu.threads} cpu, ${home.dirty.io.threads} io`, address(4)],
    ["waiting for them", home.dirty.cpu.waiting + home.dirty.io.waiting],
    ["longest collection", duration(home.counters.longest_pause_ns), address(4, "collections")],
  ];
  return (
    <section class="panel">
      <h3>The rest</h3>
      <dl class="facts">
        {rows.map(([name, value, to]) => (
          <div>
            <dt>{to ? <a href={to}>{name}</a> : name}</dt>
            <dd>
              <b>{value}</b>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function Home() {
  const { history, hello } = useContext(Observer);
  const { now, times, curves } = history;
  if (!now) return <div class="empty">asking …</div>;
  const last = (name) => curves[name]?.[curves[name].length - 1];
  const c = now.counts;
  const { resident, memory_limit } = now.os;
  const queue = now.schedulers.reduce((n, s) => n + s.queue, 0);
  const line = (name, label, more) => ({ name: label || name, values: curves[name] || [], ...more });
  const schedulers = now.schedulers.slice(0, 6).map((s) => line(`use ${s.number}`, `${s.number}`, { line: now.schedulers.length > 2 }));
  if (now.schedulers.length > 6) schedulers.splice(0, 6, line("use", "all"));
  return (
    <div class="home">
      {hello.dump && (
        <section class="panel">
          <h3>Crash dump: {hello.dump.slogan}</h3>
          <span class="note">written {hello.dump.written}{hello.dump.cut && ", cut short,"} by {hello.dump.system}</span>
        </section>
      )}
      <div class="tiles">
        <Tile name="processes" value={grouped(c.processes.now)} of={`${c.processes.limit ? `of ${count(c.processes.limit)}, ` : ""}peak ${count(c.processes.peak)}`}
          to={address(2)} part={c.processes.limit ? c.processes.now / c.processes.limit : null} alarm={isFull(c.processes.now, c.processes.limit)} />
        <Tile name="resident memory" value={bytes(resident)} of={memory_limit ? `of ${bytes(memory_limit)}` : ""}
          to={address(8, "memory")} part={memory_limit ? resident / memory_limit : null} alarm={isFull(resident, memory_limit)} />
        <Tile name="scheduler use" value={percent((last("use") || 0) / 100)} of={`${now.schedulers.filter((s) => s.online).length} online of ${now.schedulers.length}`}
          to={address(4)} part={(last("use") || 0) / 100} />
        <Tile name="run queues" value={grouped(queue)} of="wait for a scheduler" to={address(4)} />
        <Tile name="messages" value={`${count(last("messages"))}/s`} of={`${count(now.counters.messages)} so far`} to={address(8, "flow")} />
        <Tile name="up" value={duration(now.uptime_ns)} of={`since ${new Date(now.time_ms - now.uptime_ns / 1e6).toLocaleTimeString("en-GB")}`} />
      </div>
      <Warnings />
      {!hello.dump && <div class="charts">
        <Chart title="Scheduler use" note="not spinning, not asleep" times={times} series={schedulers} format={(v) => (v == null ? "–" : `${Math.round(v)} %`)} range={100} />
        <Chart title="Reductions" times={times} series={[line("reductions")]} format={(v) => `${count(v)}/s`} />
        <Chart title="Run queues" times={times} series={[line("queued")]} format={count} />
        <Chart title="Messages and spawns" times={times} series={[line("messages"), line("spawns")]} format={(v) => `${count(v)}/s`} />
        <Chart title="Memory" times={times} series={[line("resident"), line("heaps")]} format={bytes} binary />
        <Chart title="Collections" times={times} series={[line("collections", "all"), line("major_collections", "major")]} format={(v) => `${count(v)}/s`}
          note={last("collecting") != null && `${percent(last("collecting"))} of the time`} />
        <Chart title="Input and output" times={times} series={[line("in"), line("out")]} format={(v) => `${bytes(v)}/s`} least={1024} binary />
        <Chart title="Processes" times={times} series={[line("processes")]} format={count} />
        <Chart title="Steals and wakes" times={times} series={[line("steals"), line("wakes")]} format={(v) => `${count(v)}/s`} />
      </div>}
      <div class="panels">
        <Counts history={history} counts={c} />
        <Memory history={history} memory={now.memory} os={now.os} />
        {!hello.dump && <Itself home={now} cost={last("observer")} />}
      </div>
    </div>
  );
}
