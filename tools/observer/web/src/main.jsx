// The page: views by number, a line of keys, what there is to say about the connection. Views and
// keys are the terminal's (tools/observer/app.cc).
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Exits } from "./exits.jsx";
import { Flame, wholeProfile } from "./flame_view.jsx";
import { Help, Logo, Prompt } from "./frame.jsx";
import { useHistory } from "./history.js";
import { Home } from "./home.jsx";
import { Observer, useKeys } from "./hooks.js";
import { Jit } from "./jit.jsx";
import { Machines } from "./machines.jsx";
import { Since, takeMoment } from "./moments.jsx";
import { programOf } from "./names.js";
import { address, nameOfView, pageAddress, placeOf, schedulersPageOf, storesPageOf, VIEWS } from "./places.js";
import { Process } from "./process.jsx";
import { allProcesses, Processes } from "./processes.jsx";
import { SCHEDULER_PAGES, Schedulers } from "./schedulers.jsx";
import { Link, settings } from "./socket.js";
import { PAGE_NAMES, Stores } from "./stores.jsx";
import { StoryPage } from "./story_view.jsx";
import { TimelineView } from "./timeline_view.jsx";
import { noTrace, Trace } from "./trace.jsx";
import { count, duration, percent } from "./units.js";

const KEYS = {
  0: "Enter its reason and stack",
  2: "s sort  r reverse  / filter  n p page  d snapshot, difference  Enter details",
  3: "b back  n p messages  s state  c collect  z suspend  K kill  t trace",
  4: "Tab use, moves and waits, collections",
  5: "+ - zoom  ← → move  End follow  e export",
  6: "/ search  Esc out  c begin anew  t time  a allocation  p process  g by process  i tiers  d compare  e E w export",
  7: "Enter its code  / any function's  b back",
  8: "Tab next page  a flow by application  / n p b contents of a table  → open  ← close  Enter details",
  9: "t begin, end  m calls  r returns  x exits  p processes  s spawned  w messages  g GC  R rate  Enter process",
};
const HELP = [
  ["1 to 9, 0", "home, processes, process, schedulers, timeline, flame, JIT, system, trace, exits"],
  ["arrows, j k, PgUp, PgDn, Home, End", "move"],
  ["Enter", "details of what is selected"],
  ["s S r", "processes: sort by the next, the one before; reverse"],
  ["n p", "next, previous page (of processes; of messages)"],
  ["/", "filter processes: msgq>100 & fn=gen_server:loop/7 | name~log"],
  ["d", "processes: keep a snapshot; what has changed since"],
  ["M D", "mark a moment; what has changed since, of processes and (Tab) counters"],
  ["P", "one process by its pid or name"],
  ["A", "all machines, if there may be several"],
  ["f", "freeze: what is shown stays until f"],
  ["b", "one process: back to the one before"],
  ["s c z K", "one process: a server's state, collect, suspend or resume, kill (with --allow-actions)"],
  ["t", "one process: trace it (view 9)"],
  ["+ - e", "timeline: zoom; export. Flame: c begins anew, t by time, a by allocation, p one process, g by process, i coloured by tier, d compares with what was, e E w export"],
  ["Tab", "view 4: use, moves and waits, collections; view 8: tree, tables, modules, ports, flow of messages (a by application), memory, terms, atoms, timers, nodes, groups"],
  ["Enter / b", "view 7: a function's code; any function's; back"],
  ["t m r p s w g x R", "view 9: begin or end; calls; returns; processes (name=NAME: over restarts, too); also what they spawn; messages; collections; exits; rate"],
];

const link = new Link();

/** The browser's Back and Forward lead through what was shown. */
function useAddress(address, show) {
  useEffect(() => {
    if (location.hash !== address) window.history[location.hash ? "pushState" : "replaceState"](null, "", address);
  }, [address]);
  useEffect(() => {
    const back = () => show(placeOf(location.hash));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
}

/** Who answers; asked again when the machine has gone and another came. */
function useMachine() {
  const [state, set] = useState({ state: link.state, hello: null });
  useEffect(() => {
    let timer, slow = false;
    const ask = async () => {
      clearTimeout(timer);
      try {
        const hello = await link.ask({ do: "hello" });
        const { columns } = await link.ask({ do: "columns" });
        set({ state: "connected", hello, columns });
      } catch {
        set((s) => ({ ...s, state: link.state, why: link.why }));
        timer = setTimeout(ask, 1000);
      }
    };
    const off = link.listen(() => {
      clearTimeout(timer);
      set((s) => ({ ...s, state: link.state, why: link.why }));
      const was = slow;
      slow = link.state === "slow";
      if (slow || (was && link.state === "connected")) return;
      if (link.state === "no observer") timer = setTimeout(ask, 1000);
      else ask();
    });
    ask();
    return () => (off(), clearTimeout(timer));
  }, []);
  return state;
}

function Banner({ state, why, several }) {
  if (state === "connected" || state === "connecting") return null;
  if (state === "slow") return <div class="banner">The machine has not answered for {why}: waiting.</div>;
  return (
    <div class="banner">
      <b>{state === "no machine" ? "The machine has gone." : "The observer has gone."}</b>{" "}
      {state === "no machine" ? `Waiting for one: ${why}` : "Start it again: whitebeam observe --web (its address will be another one)"}
      {several && <> <a href={pageAddress()}>all machines</a></>}
    </div>
  );
}

/** The banner of a page that is of no machine yet. */
function Connection() {
  const [state, set] = useState(link.state);
  useEffect(() => link.listen(() => set(link.state)), []);
  return <Banner state={state} why={link.why} />;
}

function Top({ view, onView, machine, frozen, onFreeze, several }) {
  const { hello, state } = machine;
  const program = programOf(hello);
  return (
    <nav>
      <Logo />
      {VIEWS.map((name, k) => (
        <button class={view === (k + 1) % 10 ? "on" : ""} onClick={() => onView((k + 1) % 10)}>
          <kbd>{(k + 1) % 10}</kbd>{name}
        </button>
      ))}
      <span class="grow" />
      {frozen && <button class="frozen" onClick={onFreeze}>frozen <kbd>f</kbd></button>}
      <span class={`machine ${state.replace(" ", "-")}`}>
        <i />
        {hello ? `${program} (${hello.pid})` : state}
        {hello?.actions && <small>may act</small>}
        {several && <a href={pageAddress()} title="all machines">all</a>}
      </span>
    </nav>
  );
}

function Bottom({ view, history, prompt, marked }) {
  const { now, curves } = history;
  const last = (name) => curves[name]?.[curves[name].length - 1];
  return (
    <footer>
      {prompt || <span class="keys">? help  f freeze  P process  M mark{marked ? "  D since" : ""}  {KEYS[view]}</span>}
      <span class="grow" />
      {now && (
        <span class="pulse">
          {count(now.counts.processes.now)} processes  {percent((last("use") ?? 0) / 100)} use  {count(last("reductions"))} reds/s
          <small title="of a core, for answering all observers">  observer {percent(last("observer") ?? 0)}, {duration(now.observer.last_request_ns)}</small>
        </span>
      )}
    </footer>
  );
}

function App({ several }) {
  const machine = useMachine();
  const [first] = useState(() => placeOf(location.hash));
  const [view, setView] = useState(first?.view ?? 1);
  const [frozen, freeze] = useState(false);
  const [helping, help] = useState(false);
  const [prompt, setPrompt] = useState(null);
  const [visited, visit] = useState(first?.view === 3 && first.more ? [first.more] : []); // processes, the one that is shown last
  const [storesPage, setStoresPage] = useState(storesPageOf(first?.view === 8 && first.more));
  const [schedulersPage, setSchedulersPage] = useState(schedulersPageOf(first?.view === 4 && first.more));
  const [profile, setProfile] = useState(first?.view === 6 ? { ...wholeProfile, pid: first.more } : wholeProfile);
  const [exit, setExit] = useState(first?.view === 0 ? first.more : ""); // whose is shown first
  const [wish, setWish] = useState(noTrace);
  const [moment, setMoment] = useState(null);
  const [since, setSince] = useState(null); // what is shown of the time since: "processes", "counters"
  const keptTrace = useRef({ lines: [], next: 0 });
  const keptProcesses = useRef(null), keptTree = useRef(null);
  const id = machine.hello && `${machine.hello.pid}/${machine.hello.started_ms}`;
  const history = useHistory(link, frozen, id);
  const pid = visited[visited.length - 1] || "";
  useAddress(address(view, { 0: exit, 3: pid, 4: SCHEDULER_PAGES[schedulersPage], 6: profile.pid, 8: PAGE_NAMES[storesPage] }[view]), (place) => {
    if (!place) return;
    const { more } = place;
    show(place.view);
    if (place.view === 0) setExit(more);
    if (place.view === 3 && more) visit((v) => (v.at(-1) === more ? v : v.at(-2) === more ? v.slice(0, -1) : [...v, more].slice(-100)));
    if (place.view === 4) setSchedulersPage(schedulersPageOf(more));
    if (place.view === 6) setProfile((p) => (p.pid === more ? p : { ...wholeProfile, pid: more }));
    if (place.view === 8) setStoresPage(storesPageOf(more));
  });
  const program = programOf(machine.hello);
  useEffect(() => {
    document.title = `${program ? `${program} (${machine.hello.pid}) · ` : ""}${nameOfView(view)} · whitebeam`;
  }, [program, view, machine.hello?.pid]);
  const show = (k) => (setSince(null), k === 0 && setExit(""), setView(k));
  const mark = () => takeMoment(link).then(setMoment, () => {});
  const openProcess = (wanted) => {
    visit((v) => (v[v.length - 1] === wanted ? v : [...v, wanted].slice(-100)));
    show(3);
  };
  /** What processes are to be shown when that view is. */
  const choose = (change) => (keptProcesses.current = { ...(keptProcesses.current ?? allProcesses), ...change, top: 0, selected: 0, from: 0 });
  const openProcesses = (filter) => (choose({ filter }), setView(2));
  const orderProcesses = (by) => choose({ by, ascending: false });
  const traceProcess = (wanted) => {
    setWish({ ...wish, filter: `pid=${wanted}`, calls: "", messages: true, collections: true, exits: true, begin: Date.now() });
    setView(9);
  };
  /** A line from the user; `otherwise` if there is none. */
  const ask = (question, line, otherwise = "") =>
    new Promise((resolve) => setPrompt({ question, line, done: (answer) => (setPrompt(null), resolve(answer ?? otherwise)) }));
  const known = useRef(null);
  useEffect(() => {
    if (!id) return;
    if (known.current) visit([]); // another machine
    known.current = id;
    setMoment(null);
    setSince(null);
    keptTree.current = null;
    keptTrace.current = { lines: [], next: 0 };
  }, [id]);
  useKeys((key) => {
    if (helping && key !== "?") return help(false), true;
    if (key === "?") help((h) => !h);
    else if (key === "f") freeze((f) => !f);
    else if (key >= "0" && key <= "9") show(Number(key));
    else if (key === "M") mark();
    else if (key === "D") setSince(since || !moment ? null : "processes");
    else if (key === "A" && several) location.assign(pageAddress());
    else if (key === "P") ask("process: ", "").then((name) => name && openProcess(name));
    else return false;
    return true;
  });
  const views = {
    0: () => <Exits pid={exit} />,
    1: () => <Home />,
    2: () => <Processes kept={keptProcesses} />,
    3: () => <Process key={pid} pid={pid} onTrace={traceProcess} onBack={() => (visited.length > 1 ? visit((v) => v.slice(0, -1)) : setView(2))} ask={ask} />,
    4: () => <Schedulers page={schedulersPage} onPage={setSchedulersPage} />,
    5: () => <TimelineView />,
    6: () => <Flame choice={profile} choose={setProfile} ask={(question, line) => ask(question, line, null)} />,
    7: () => <Jit ask={(question, line) => ask(question, line, null)} />,
    8: () => <Stores page={storesPage} onPage={setStoresPage} kept={keptTree} />,
    9: () => <Trace wish={wish} onWish={setWish} kept={keptTrace} ask={(question, line) => ask(question, line, null)} />,
  };
  const shared = { link, hello: machine.hello, columns: machine.columns, actions: machine.hello?.actions, frozen, openProcess, openProcesses, orderProcesses, history };
  return (
    <Observer.Provider value={shared}>
      <Top view={view} onView={show} several={several} machine={machine} frozen={frozen} onFreeze={() => freeze(false)} />
      <Banner several={several} {...machine} />
      <main key={id} data-view={view}>{!machine.hello ? <div class="empty">{machine.why || "connecting …"}</div> : since && moment ? <Since moment={moment} counted={since === "counters"} onPage={(counted) => setSince(counted ? "counters" : "processes")} onMark={mark} onBack={() => setSince(null)} /> : views[view]()}</main>
      <Bottom view={view} history={history} marked={!!moment} prompt={prompt && <Prompt question={prompt.question} line={prompt.line} onDone={prompt.done} />} />
      {helping && <Help keys={HELP} onClose={() => help(false)} />}
    </Observer.Provider>
  );
}

/** What the page is of: { count } of machines when it was opened (0: of one, without a list) or { story }; null: unknown. */
function useKind() {
  const [kind, set] = useState(settings.machine ? { count: 1 } : null);
  useEffect(() => {
    if (kind) return;
    const ask = () =>
      link.ask({ do: "machines" }).then(
        ({ machines }) => set({ count: machines.filter((m) => m.state !== "ended").length || 2 }),
        (e) => link.state !== "no observer" && e.message && link.ask({ do: "hello" }).then((hello) => set(hello.story ? { story: hello } : { count: 0 }), () => set({ count: 0 })),
      );
    ask();
    return link.listen(() => link.state === "connected" && ask());
  }, [!kind]);
  return kind;
}

/** The machines side by side, or one of them; or a story. */
function Page() {
  const kind = useKind();
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);
  const n = kind?.count;
  const list = !settings.machine && (n > 1 || (n === 1 && hash === "#machines"));
  useEffect(() => {
    if (list && location.hash !== "#machines") window.history.replaceState(null, "", "#machines");
  }, [list]);
  if (kind?.story) return <StoryPage link={link} banner={<Connection />} />;
  if (kind && !list) return <App several={n > 0} />;
  return (
    <>
      <nav><Logo /><button class="on">Machines</button></nav>
      <Connection />
      {list ? <Machines link={link} /> : <main><div class="empty">connecting …</div></main>}
    </>
  );
}

render(<Page />, document.body);
