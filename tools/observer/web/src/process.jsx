// View 3: one process. Whatever names another leads there.
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { HeapPicture } from "./heap.jsx";
import { useAsked, useKeys, useObserver } from "./hooks.js";
import { CollectionLines } from "./scheduler_pages.jsx";
import { State } from "./processes.jsx";
import { bytes, count, duration, grouped } from "./units.js";

const PAGE = 20;

/** Pids by the references that are their aliases. */
const Aliases = createContext(new Map());

/** Text in which pids, and references that are somebody's alias, lead to their process. */
export function Linked({ text }) {
  const { openProcess } = useObserver();
  const owners = useContext(Aliases);
  const parts = String(text ?? "").split(/(#Ref<[\d.]+>|<0\.\d+\.\d+>)/);
  return parts.map((part, k) => {
    const pid = k % 2 && (part[0] === "<" ? part : owners.get(part));
    return pid ? <a title={pid === part ? undefined : `alias of ${pid}`} onClick={() => openProcess(pid)}>{part}</a> : part;
  });
}

function Panel({ title, count: n, children, wide }) {
  return (
    <section class={`panel ${wide ? "wide" : ""}`}>
      <h3>
        {title} {n != null && <span class="note">{grouped(n)}</span>}
      </h3>
      {children}
    </section>
  );
}

function Stack({ stack }) {
  if (!stack?.length) return <div class="empty">empty</div>;
  return (
    <ol class="frames">
      {stack.map((f) => (
        <li>
          <span>{f.fn}</span>
          {f.file && (
            <small title={f.file}>
              {f.file.replace(/.*\//, "")}:{f.line}
            </small>
          )}
          {f.values?.length > 0 && (
            <ul title="what it has kept for later">
              {f.values.map((v) => (
                <li>
                  <Linked text={v} />
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

function Relations({ p }) {
  const kinds = [["links", "link_count"], ["monitors", "monitor_count"], ["monitored_by", "monitored_by_count"], ["aliases", "alias_count"]];
  return kinds.map(([kind, n]) => (
    <Panel title={kind.replace("_", " ")} count={p[n]}>
      <div class="pids">
        {p[kind]?.map((t) => (
          <span>
            <Linked text={t} />
          </span>
        ))}
        {!p[kind]?.length && <i>none</i>}
      </div>
    </Panel>
  ));
}

function Pairs({ pairs }) {
  return (
    <dl class="pairs">
      {pairs.map(([k, v]) => (
        <div>
          <dt>{k}</dt>
          <dd>
            <Linked text={v} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Messages({ p, from, onPage }) {
  const last = Math.min(p.msgq, from + PAGE);
  return (
    <Panel title="messages" count={p.msgq} wide>
      {p.receive_scanned && <p class="lint">its receive has passed over {p.receive_scanned === true ? "messages" : grouped(p.receive_scanned)}</p>}
      {p.shapes?.length > 1 || p.msgq > PAGE ? (
        <dl class="facts">
          {p.shapes?.map((s) => (
            <div>
              <dt class="mono">{s.shape}</dt>
              <dd>
                {grouped(s.messages)} <span class="of">{bytes(s.bytes)}</span>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {p.messages?.length ? (
        <ol class="terms" start={from + 1}>
          {p.messages.map((m, k) => (
            <li value={from + k + 1}>
              <Linked text={m} />
            </li>
          ))}
        </ol>
      ) : (
        <i>none</i>
      )}
      {p.msgq > PAGE && (
        <p class="pager">
          <button disabled={from === 0} onClick={() => onPage(-1)}>
            before <kbd>p</kbd>
          </button>
          {grouped(from + 1)} to {grouped(last)}
          <button disabled={last >= p.msgq} onClick={() => onPage(1)}>
            next <kbd>n</kbd>
          </button>
        </p>
      )}
    </Panel>
  );
}

function Head({ p, said, act, onTrace, onState, actions }) {
  const suspended = p.waits_for === "resume";
  return (
    <div class="bar process">
      <b class="mono">{p.pid}</b>
      {p.name && <b class="named">{p.name}</b>}
      {p.label && <span>{p.label}</span>}
      <State p={p} />
      {p.lint?.map((l) => (
        <span class="lint">{l}</span>
      ))}
      <span class="grow" />
      {said && <span class="note">{said}</span>}
      {actions && (
        <>
          <button onClick={onState}>state <kbd>s</kbd></button>
          <button onClick={() => act("collect")}>collect <kbd>c</kbd></button>
          <button onClick={() => act(suspended ? "resume" : "suspend")}>{suspended ? "resume" : "suspend"} <kbd>z</kbd></button>
          <button onClick={() => onTrace(p.pid)}>trace <kbd>t</kbd></button>
          <button class="danger" onClick={() => act("kill")}>kill <kbd>K</kbd></button>
        </>
      )}
    </div>
  );
}

export function Process({ pid, onBack, onTrace, ask }) {
  const { link, actions, openProcesses } = useObserver();
  const [from, setFrom] = useState(0);
  const [said, say] = useState("");
  const { data: p, error, again } = useAsked(pid ? { do: "process", pid, messages_from: from, messages: PAGE } : null);
  const [state, setState] = useState(null);
  const askState = async () => {
    try {
      setState(await link.ask({ do: "state", pid }));
      say("state: done");
    } catch (e) {
      setState(null);
      say(e.message);
    }
  };
  const page = (by) => setFrom((n) => Math.max(0, n + by * PAGE < (p?.msgq ?? 0) ? n + by * PAGE : n));
  const act = async (what) => {
    if (what === "kill" && !(await ask(`kill ${pid}? Type yes: `, "")).startsWith("yes")) return;
    try {
      await link.ask({ do: "act", pid, what });
      say(`${what}: done`);
    } catch (e) {
      say(e.message);
    }
    again();
  };
  useKeys((key) => {
    if (key === "b" || key === "Backspace") onBack();
    else if (key === "n") page(1);
    else if (key === "p") page(-1);
    else if (key === "s") askState();
    else if (key === "c") act("collect");
    else if (key === "z") act(p?.waits_for === "resume" ? "resume" : "suspend");
    else if (key === "g" && p?.group) openProcesses(`group=${p.group}`);
    else if (key === "K") act("kill");
    else if (key === "t" && pid) onTrace(p?.pid ?? pid);
    else return false;
    return true;
  });
  if (!pid) return <div class="empty">No process is chosen: press Enter on one in view 2, or P and its pid or name.</div>;
  if (!p) return <div class="empty">{error ? `${pid}: ${error}` : "asking …"}</div>;
  const facts = [
    ["started as", p.initial],
    ["parent", p.parent || "none"],
    ["application", p.application],
    ["priority", p.priority],
    ["reductions", grouped(p.reds)],
    ["memory", bytes(p.memory)],
    ["message queue", grouped(p.msgq)],
    ["migrations", p.migrations],
    ["policy", p.policy !== "default" && p.policy],
    ["mailbox", p.mailbox_bound && `${grouped(p.mailbox_bound.held)} of ${grouped(p.mailbox_bound.limit)}, then ${p.mailbox_bound.when_full}; ${grouped(p.mailbox_bound.dropped)} dropped, ${grouped(p.mailbox_bound.senders_waiting)} senders wait`],
    ["waits to run", p.wait_p50_ns != null && `${duration(p.wait_p50_ns)}, 99 % below ${duration(p.wait_p99_ns)}`],
    ["in collections", p.gc_ns > 0 && duration(p.gc_ns)],
    ["collections", p.heap?.collections != null && `${count(p.heap.collections)}, ${count(p.heap.major)} major`],
  ].filter(([, v]) => v != null && v !== false && v !== "");
  return (
    <Aliases.Provider value={new Map(p.alias_owners)}>
      <Head p={p} said={error || said} act={act} onTrace={onTrace} onState={askState} actions={actions} />
      <div class="columns"><div class="flow">
        <Panel title="about">
          <Pairs pairs={facts.map(([k, v]) => [k, String(v)])} />
          {p.group > 0 && <p class="note">in group <a onClick={() => openProcesses(`group=${p.group}`)}>{p.group} {p.group_name}</a></p>}
          {p.callee && (
            <p class="note">
              inside a call: waits for <Linked text={p.callee} /> {p.callee_name} for {duration(p.call_age_ns)}
              {p.call_left_ns != null && `, ${duration(p.call_left_ns)} left`}, in {p.call_fn}
              {p.call_line && ` ${p.call_file.replace(/.*\//, "")}:${p.call_line}`}
            </p>
          )}
          {!p.answered && <p class="lint">it has not answered: it is busy with something long</p>}
        </Panel>
        {state && (
          <Panel title="state" count={state.words} wide>
            <p class="note">words, as sys:get_state tells</p>
            <pre class="mono"><Linked text={state.state} /></pre>
          </Panel>
        )}
        {p.answered && (
          <>
            <Panel title="stack" count={p.stack?.length}>
              <Stack stack={p.stack} />
            </Panel>
            <Panel title="heap">
              <HeapPicture heap={p.heap} pid={p.pid} />
            </Panel>
            <Panel title="newest collections">
              <CollectionLines pid={p.pid} />
            </Panel>
            <Relations p={p} />
            <Panel title="flags">
              <Pairs pairs={Object.entries(p.flags || {}).map(([k, v]) => [k.replaceAll("_", " "), String(v)])} />
            </Panel>
            {p.dictionary?.length > 0 && (
              <Panel title="dictionary" count={p.dictionary_count}>
                <Pairs pairs={p.dictionary} />
              </Panel>
            )}
            {p.stack ? <Messages p={p} from={from} onPage={page} /> : <Panel title="sensitive"><i>stack, dictionary and messages are its own</i></Panel>}
          </>
        )}
      </div></div>
    </Aliases.Provider>
  );
}
