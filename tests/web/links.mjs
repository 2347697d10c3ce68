// node links.mjs URL CHROMIUM SCRATCH SHOTS: each link of Home is clicked, and leads where it says.
import { readFileSync } from "node:fs";
import { check, complaints, finish, key, main, page, scratch, until, url } from "./page.mjs";

const VIEWS = ["home", "processes", "process", "schedulers", "timeline", "flame", "jit", "system", "trace", "exits"];
const SHOWN = {
  home: /Counts and limits/, processes: /2\d\d processes/, schedulers: /of \d+ schedulers run/, timeline: /until now|asking/, flame: /samples/, jit: /functions/, trace: /not tracing/, exits: /abnormal exits/,
  "schedulers/collections": /minor|major/, "system/tree": /who spawned them/, "system/tables": /\d+ tables/, "system/modules": /\d+ modules/, "system/ports": /\d+ ports/, "system/flow": /who writes to whom/,
  "system/memory": /share lost|tells nothing/, "system/terms": /persistent terms/, "system/atoms": /atoms of/, "system/timers": /\d+ timers/,
};
/** The view of an address is shown, and the address is in the browser's line. */
async function arrived(what, pattern) {
  await until(`${what}: the address is ${pattern}`, (source) => new RegExp(source).test(decodeURIComponent(location.hash)), pattern.source);
  const name = decodeURIComponent(new URL(page.url()).hash.slice(1));
  const view = (VIEWS.indexOf(name.split("/")[0]) + 1) % 10;
  await until(`${what}: the view of ${name}`, (k) => document.querySelector("main").dataset.view === k, String(view));
  const shown = SHOWN[name] ?? SHOWN[name.split("/")[0]];
  if (shown) await main(what, shown);
}
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
async function home() {
  await key("1");
  await main("home", SHOWN.home);
}

await page.goto(url);
await main("home", SHOWN.home);

// --- every view by its name
for (const [k, name] of VIEWS.entries()) {
  await page.locator("nav > button").nth(k).click();
  await arrived(`by the name ${name}`, name === "system" ? /^#system\/tree$/ : new RegExp(`^#${name}$`));
}

// --- what leads on from numbers
await home();
const links = await page.$$eval("main [href]", (all) => all.filter((a) => !a.closest(".warnings")).map((a) => [a.innerText.replace(/\s+/g, " "), a.getAttribute("href")]));
const led = new Set(links.map(([, href]) => href));
for (const name of ["processes", "schedulers", "schedulers/collections", "system/tables", "system/modules", "system/ports", "system/flow", "system/memory", "system/terms", "system/atoms", "system/timers"])
  check(`something leads to ${name}`, led.has(`#${name}`));
for (const [k, [text, href]] of links.entries()) {
  await home();
  await page.locator("main [href]:not(.warnings [href])").nth(k).click();
  await arrived(text, new RegExp(`^${escaped(href)}$`));
  await page.goBack();
  await arrived(`back from ${text}`, /^#home$/);
}
for (const [panel, name, by] of [["Memory", "heaps", "memory"], ["Memory", "binaries", "binaries"], ["Counts and limits", "binaries", "binaries"]]) {
  await home();
  await page.locator("section", { hasText: panel }).getByRole("link", { name }).click();
  await until(`${panel}, ${name}: processes ordered by ${by}`, (by) => document.querySelector(".sorted")?.innerText.startsWith(by), by);
}

// --- what leads on from warnings: kind, whom it is about, the address, what is shown there; who else, and where that leads
const ONE = /^#process\/<0\.[\d.]+>$/;
const WAYS = [
  ["call_cycle", "(prices|discounts)", ONE, /(prices|discounts) .*waits for|answer/, "(prices|discounts)", ONE],
  ["crash_loop", "shop", /^#exits\/<0\.[\d.]+>$/, /under shop as child \{till,7\}/, "\\{till,7\\}", /^#exits\/<0\.[\d.]+>$/],
  ["scanning_receive", "clerk", ONE, /clerk .*messages 3,000/],
  ["table_search", "reports", /^#system\/tables$/, /goods/],
  ["large_messages", "archive", /^#system\/flow$/, /exporter archive/, "exporter", ONE],
  ["atoms", "sessions", /^#system\/atoms$/, /user_\d+/],
  ["timers", "reminders", /^#system\/timers$/, /reminders/, "reminders", ONE],
  ["does_not_rest", "reports", /^#flame\/<0\.[\d.]+>$/, /<0\.[\d.]+> p.*sick:reports\/0/],
];
const known = [...readFileSync(`${scratch}/warnings.def`, "utf8").matchAll(/^WARNING\((\w+), \d+, (\w+), (\d)/gm)];
const kinds = new Map(known.map(([, kind, to, key]) => [kind, `${to} ${key}`]));
const covered = new Set(WAYS.map(([kind]) => kinds.get(kind)));
for (const [kind, way] of kinds) check(`${kind} leads to ${way}, which no warning here does`, covered.has(way) || way === "home 1");

/** The warning, once it is there. */
async function warning(kind, who) {
  await home();
  const row = page.locator(".warnings li").filter({ has: page.locator(".lint", { hasText: new RegExp(`^${kind.replaceAll("_", " ")}$`) }) }).filter({ hasText: new RegExp(`${who}:`) }).first();
  await row.waitFor({ timeout: 120000 }).catch(() => check(`there is a warning ${kind} about ${who}`, false));
  return row;
}
for (const [kind, who, way, shown, other, otherWay] of WAYS) {
  await (await warning(kind, who)).locator(".way").click();
  await arrived(kind, way);
  await main(kind, shown);
  await page.goBack();
  await arrived(`back from ${kind}`, /^#home$/);
  await (await warning(kind, who)).locator("p a").first().click();
  await arrived(`whom ${kind} is about`, ONE);
  await main(`whom ${kind} is about`, new RegExp(who));
  if (!other) continue;
  await (await warning(kind, who)).locator("p a").last().click();
  await arrived(`who else has to do with ${kind}`, otherWay);
  await main(`who else has to do with ${kind}`, new RegExp(other));
}

// --- an address alone leads there, too
for (const hash of ["#schedulers/collections", "#system/timers", "#exits"]) {
  await page.goto("about:blank");
  await page.goto(url + hash);
  await arrived(`the address ${hash}`, new RegExp(`^${hash}$`));
}
check("no complaints: " + complaints.join("\n"), complaints.length === 0);
await finish();
