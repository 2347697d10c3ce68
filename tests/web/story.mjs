// node story.mjs URL CHROMIUM SCRATCH SHOTS: stories of explored runs, drawn as sequence diagrams.
import { readFileSync } from "node:fs";
import { check, complaints, finish, key, main, outside, page, rest, scratch, shot, shows, until } from "./page.mjs";

const [late, table, long, hostile] = readFileSync(`${scratch}/urls`, "utf8").trim().split("\n");
const rows = () => page.locator(".happens").count();
const selected = (what, pattern) => shows(what, ".facts-of-story", pattern);

// --- a short one: who, what, in which order; the ending; what nobody has received
await page.setViewportSize({ width: 1280, height: 640 });
await page.goto(late);
await main("lifelines", /main <0\.\d+\.\d+>/, /main\.1 <0\.\d+\.\d+>/);
await main("events", /spawn_link ‹main\.1› late_reply\.erl:7/, /\{‹main›,1\} late_reply\.erl:14/, /its time is up/, /ends with \{badmatch,\{ok,2\}\}/);
await main("the switch, the clock", /switch: after operation 2 of main the clock moves/, /the clock moves on by [\d.]+ ms/);
await shows("the ending", ".ending.bad", /^crash main ended with \{badmatch,\{ok,2\}\} in late_reply:main\/1/);
await shows("beside it", ".facts-of-story", /crash 1 switch from the usual run/, /repeat it whitebeam run --schedule/);
await until("the title", () => document.title === "late_reply: crash · Story · whitebeam");
const lines = (selector) => page.locator(`svg.lines ${selector}`).count();
check("five sends, a spawn", (await lines("path.message")) === 4 && (await lines("path.spawn")) === 1);
check("one is never received", (await lines("circle.open")) === 1);
check("one has died", (await lines("path.cross.dies")) === 1);
await shot("story");
await key("j", "j");
await selected("by the keyboard", /2 sends who main <0\.\d+\.\d+> where late_reply\.erl:14/);
await selected("the whole text", /message \{<0\.\d+\.\d+>,1\} received by 7/);
await key("Enter");
await selected("the other end", /7 receives/);
check("its arrow stands out", (await lines("path.chosen")) === 1);
await key("Enter");
await selected("and back", /2 sends/);
await key("ArrowRight");
await selected("the next of the same process", /5 its time is up/);
await key("ArrowLeft");
await selected("the one before", /2 sends/);
await key("n");
await selected("the next switch", /3 a switch from the usual run/);
await key("End");
await selected("the last", /12 ends otherwise/);
await key("Home");
await selected("the first", /1 spawns/);
await key("Escape");
await until("nothing", () => !document.querySelector(".told"));
await page.locator(".says", { hasText: "{reply,4}" }).click();
await selected("by a click", /10 sends .* nobody receives it/);
await page.locator(".switches a").first().click();
await selected("by its name", /3 a switch/);
await page.locator(".says", { hasText: "its time is up" }).hover();
await shows("what the pointer is at", ".tip", /late_reply\.erl:14/);
await key("/");
await page.keyboard.type("{reply,2}");
await key("Enter");
await selected("found", /8 sends/);
await key("/", "Enter");
await selected("found again", /11 receives/);
await key("?");
await shows("help", ".help", /the other end of what is sent or received/);
await key("?");

// --- tables; who has ended tells others; dark
await page.emulateMedia({ colorScheme: "dark" });
await page.goto(table);
await main("a table", /ets:insert\(#Ref<…\d+>, \{hits,1\}\) → true ets_lost_update\.erl:16/);
check("of its colour", (await page.locator(".says.data").count()) > 5);
check("told by who has ended", (await lines("path.end")) === 3 && (await lines("path.cross.ends")) === 3);
check("dark", (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === "rgb(17, 21, 19)");
await page.emulateMedia({ colorScheme: "light" });

// --- thousands of events: what is seen is drawn
await page.goto(long);
await main("a long one", /ets:insert/);
await shows("how long it is", "nav", /[34]\d\d\d events of 13 processes/);
check("a screenful is there", (await rows()) < 60);
await key("End");
await main("its end", /ends with too_long/);
await selected("the last of all", /ends otherwise/);
check("a screenful is there", (await rows()) < 60 && (await rows()) > 5);
const height = await page.$eval(".scroller", (s) => s.scrollHeight);
check("all can be scrolled to", height > 3000 * 32);
let slowest = 0;
for (let k = 0; k <= 20; ++k) {
  const begin = Date.now();
  await page.$eval(".scroller", (s, part) => new Promise((f) => ((s.scrollTop = part * s.scrollHeight), requestAnimationFrame(() => requestAnimationFrame(f)))), k / 20);
  slowest = Math.max(slowest, Date.now() - begin);
  check("somebody is there", (await rows()) > 0);
}
console.log(`long: ${height / 32} rows, a screen in ${slowest} ms at most`);
await key("Home");
await page.$eval(".scroller", (s) => (s.scrollLeft = s.scrollWidth));
await rest(300);
await shows("to the right", ".heads", /main\.12/);

// --- texts are texts
await page.goto(hostile);
await main("it is shown", /<img src=x onerror=alert\(1\)>/);
for (const k of ["j", "j", "j", "PageDown", "End"]) await key(k);
check("nothing of it is markup", (await page.locator("main img, main script, nav img, footer img").count()) === 0);

for (const [width, height] of [[1024, 768], [700, 500]]) {
  await page.setViewportSize({ width, height });
  await page.goto(late);
  await main(`at ${width}`, /its time is up/);
  const seen = (await outside()).filter((e) => !/^(happens|says|what|result|heads|lifeline|named|band|passes)/.test(e));
  check(`at ${width}: ${seen.slice(0, 3).join("; ")}`, !seen.length);
}
const others = complaints.filter((c) => ![table, long, hostile].some((url) => c === `asked for ${url}`));
check("no complaints: " + others.join("\n"), others.length === 0);
await finish();
