// The way to the machine: requests and answers of docs/observer-protocol.md over one WebSocket, in
// order. When either end goes away it is tried again each second, for as long as the page is open.

const query = new URLSearchParams(location.search);
export const settings = {
  interval: Math.max(0.1, Number(query.get("interval")) || 1) * 1000,
  filter: query.get("filter") || "",
  machine: query.get("machine") || "", // whose page this is, among several
};

export class Link {
  #socket = null;
  #next = 1;
  #waiting = new Map();
  #listeners = new Set();
  /** "connecting", "connected", "slow" (answers are late), "no machine" or "no observer". */
  state = "connecting";
  why = "";

  constructor() {
    this.#connect();
    setInterval(() => this.#look(), 1000);
  }

  /** A machine that is busy or stopped has not gone. */
  #look() {
    const [oldest] = this.#waiting.values();
    const seconds = oldest ? Math.floor((performance.now() - oldest.since) / 1000) : 0;
    if (seconds > 1 && (this.state === "connected" || this.state === "slow")) this.#become("slow", `${seconds} s`);
  }

  /** Called with this when state changes. */
  listen(f) {
    this.#listeners.add(f);
    return () => this.#listeners.delete(f);
  }

  /** The answer's data; rejects with why there is none. */
  ask(request) {
    return new Promise((resolve, reject) => {
      if (this.#socket?.readyState !== WebSocket.OPEN) return reject(new Error(this.why));
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject, since: performance.now() });
      this.#socket.send(JSON.stringify({ id, ...request }));
    });
  }

  #become(state, why = "") {
    if (state === this.state && why === this.why) return;
    this.state = state;
    this.why = why;
    for (const f of this.#listeners) f(this);
  }

  #connect() {
    const socket = new WebSocket(`ws://${location.host}/ws${location.search}`);
    this.#socket = socket;
    socket.onopen = () => this.#become("connected");
    socket.onmessage = (event) => this.#take(JSON.parse(event.data));
    socket.onclose = () => {
      const why = "whitebeam observe --web has ended";
      for (const { reject } of this.#waiting.values()) reject(new Error(why));
      this.#waiting.clear();
      this.#become("no observer", why);
      setTimeout(() => this.#connect(), 1000);
    };
  }

  #take(answer) {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.gone) {
      this.#become("no machine", answer.error);
    } else {
      this.#become("connected");
    }
    if (answer.ok) {
      waiting?.resolve(answer.data);
    } else {
      waiting?.reject(new Error(answer.error));
    }
  }
}
