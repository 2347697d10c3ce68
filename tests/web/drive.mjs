// node drive.mjs URL CHROMIUM SCRATCH SHOTS: through every view of the page, as a user would.
import { gunzipSync } from "node:zlib";
import { check, complaints, downloaded, drawn, finish, key, main, outside, page, PATIENCE, request, rest, shot, shows, url } from "./page.mjs";

// --- 1 home
await page.goto(url);
await main("home", /processes 100,0\d\d/, /Reductions \d/, /heaps [\d.]+ MiB/, /this observer/);
const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
console.log(`first paint after ${paint.toFixed(0)} ms`);
await drawn("home", ".chart canvas", 3);
await main("warnings", /Warnings \d+/, /Process 3 scanning receive full_box: its receive has passed over \d+ or more of 1500 messages, in shop:\S+ shop.erl:\d+ a receive looks for one message/);
await rest(12000); // so that curves have a shape
await shot("home");

await page.locator(".warnings li", { hasText: "full_box" }).getByRole("link", { name: "Process" }).click();
await main("the view that explains a warning", /full_box/, /waiting message/, /messages 1,500/);
await key("1");
await page.locator(".warnings li", { hasText: "full_box" }).getByText("full_box").click();
await main("whom it is about", /messages 1,500/);

// --- 2 processes
await key("2");
await main("processes", /100,0\d\d processes/, /spinner [^<]* runn(ing|able)/, /shop:spin\/1/, /the first 10,000 of/);
await page.locator(".head").getByText("memory").click();
await main("sorted by a click", /memory ?▼/);
await key("s");
await main("sorted by a key", /queue ?▼/, /full_box/, /long message queue/);
await shows("full_box is the first", ".row", /full_box/);
await key("r");
await main("reversed", /queue ?▲/);
await key("r");
for (const by of [/where/, /state/, /grows/, /reds/, /GC time/, /wait 99 %/, /moves/, /wait 50 %/, /in GC/, /mailbox/, /room for/, /group/, /suspect/, /priority/, /start/, /binaries/, /timers/,
  /memory\/s/, /memory\/min/, /mailbox\/s/, /mailbox\/min/, /binaries\/s/, /binaries\/min/, /pid/, /name or start/]) {
  await key("s");
  await shows(`sorted by ${by}`, ".sorted", by);
}
while (!(await page.locator(".sorted").innerText()).includes("queue")) await key("s");
await key("End");
await shows("the last of what is kept", ".row.selected", /shop:clerk\/1/);
check("10,000 rows to scroll through", (await page.$eval(".scroller", (s) => s.scrollTop)) > 9000 * 24);
check("of which a screenful is there", (await page.locator(".row").count()) < 100);
await key("Home", "/");
await page.keyboard.type("fn=shop:clerk/1");
await key("Enter");
await main("filtered", /100,001 match/);
await key("/");
await page.keyboard.press("Control+A");
await page.keyboard.type("nonsense>1");
await key("Enter");
await main("a wrong filter", /there is no column nonsense/);
await key("/");
await page.keyboard.press("Control+A");
await page.keyboard.press("Delete");
await key("Enter");
while (!(await page.locator(".sorted").innerText()).includes("reds/s")) await key("s");
await main("all again", /spinner/, /holds large binaries/);
await rest(1500);
await shot("processes");
await key("d");
await main("a snapshot", /compare with \d\d:/);
await rest(1500);
await key("d");
await main("what has changed", /What has changed since/, /spinner/, /\+[\d.]+[kMG]/);
await key("d");
await main("back", /100,0\d\d processes/, /snapshot/);
await key("M");
await shows("a moment is marked", "footer", /D since/);
await rest(1500);
await key("D");
await main("since then", /Since \d\d:\d\d:\d\d/, /spinner/, /\+[\d.]+[kMG]/);
await key("Tab");
await main("counters since then", /a minute/, /memory, total/, /slices/, /\+[\d.]+[kM]?/);
await key("D");
await main("back from there", /100,0\d\d processes/, /snapshot/);
await key("f");
await shows("frozen", "nav", /frozen/);
const frozen = await page.locator("main").innerText();
await rest(2500);
check("frozen stays", frozen === (await page.locator("main").innerText()));
await key("f");

// --- 3 one process
await key("P");
await page.keyboard.type("full_box");
await key("Enter");
await main("one process", /full_box/, /waiting message/, /shop:'-boss\/0-fun-0-'\/1/, /drawer \[open/, /messages 1,500/, /\{order,20,/);
await page.locator(".binaries button").first().click();
await main("who holds it", /held by .*<0\.[\d.]+> full_box ×1/, /asked were the [\d,]+ largest of 100,/);
await key("n");
await main("more messages", /\{order,40,/, /21 to 40/);
await page.locator(".panel", { hasText: "links" }).locator("a").first().click();
await main("along a link", /boss/, /monitors 1/);
await key("b");
await main("and back", /full_box/);
await key("P");
await page.keyboard.type("tills");
await key("Enter");
await main("a supervisor", /gen_server:loop\/7/);
await key("s");
await main("its state", /state: done/, /state \d+ words, as sys:get_state tells \{state,\{local,tills\}/);
await key("P");
await page.keyboard.type("full_box");
await key("Enter");
await main("a process again", /full_box/);
await key("s");
await main("that has no state", /does not wait in the loop of an OTP behaviour/);
await page.locator(".panel", { hasText: "dictionary" }).getByText("#Ref<").click();
await main("along an alias", /aliases 1/);
await key("P");
await page.keyboard.type("keeper");
await key("Enter");
await main("it moves", /migrations \d/);
await main("one with binaries", /holds large binaries/, /shop:keeper\/1 shop.erl:\d+ \[<<"0123456789/, /binaries [\d.]+ MiB in \d+/);
await key("c");
await main("collected", /collect: done/);
await shot("process");
await key("P");
await page.keyboard.type("churner"); // all the time, so the newest of the whole machine have some of its
await key("Enter");
await main("its collections", /newest collections (minor|major) [\d.]+ [nµm]s/);
await key("P");
await page.keyboard.type("victim");
await key("Enter");
await main("the victim", /shop:clerk\/1/);
await key("z");
await main("suspended", /suspend: done/, /resume/);
await key("z");
await main("resumed", /resume: done/);
await key("K");
await page.keyboard.type("yes");
await key("Enter");
await main("killed", /no such process/);

// --- 4 schedulers, 5 timeline
await key("4");
await main("schedulers", /\d of \d+ schedulers run/, /slices\/s/, /\d % /, /max high normal low/, /dirty cpu \d+ of \d+ threads, \d+ run, \d+ wait/, /timers [\d.k]+, .*started/, /poll \d+ descriptors/);
await shot("schedulers");
await key("Tab");
await main("moves", /work taken by \(down\)/, /processes that came to/, /from woken to running < [\d.]+ [mnµ]s/, /in a run queue \(estimated\) < [\d.]+ [mnµ]s/, /pauses of collections < /);
await shot("moves");
await key("Tab");
await main("collections", /minor|major/, /<0\.[\d.]+>/);
await key("Tab");
await key("5");
await drawn("timeline", ".drawing canvas", 5);
await main("timeline", /until now/, /who ran \d+/, /<0\.5\.5>|<0\.\d+\.\d+>/);
await key("-", "+");
await shot("timeline");
const trace = await downloaded("e");
check("for Perfetto", trace.name.endsWith(".json") && JSON.parse(trace.text).traceEvents.some((e) => e.ph === "X" && e.name.startsWith("<0.")));
check("with messages", JSON.parse(trace.text).traceEvents.some((e) => e.ph === "f" && e.name === "message"));
await key("ArrowLeft");
await main("moved", /ago/);

// --- 6 flame
await key("6");
await main("flame", /\d+ samples/, /shop:spin\/1 \d+ %/);
await drawn("flame", ".drawing canvas", 4);
await key("i");
await main("tiers", /LLVM\s*baseline\s*interpreter/);
await drawn("tiers", ".drawing canvas", 2);
await key("i");
await rest(6000);
await shot("flame");
const folded = await downloaded("e");
check("folded", /^shop:spin\/1 \d+$/m.test(folded.text));
const scope = JSON.parse((await downloaded("E")).text);
check("speedscope", scope.profiles[0].samples.length === scope.profiles[0].weights.length && scope.shared.frames.some((f) => f.name === "shop:spin/1"));
const pb = await downloaded("w");
const plain = gunzipSync(pb.bytes).toString("latin1");
check("pprof", pb.name.endsWith(".pb.gz") && plain.includes("shop:spin/1") && plain.includes("reductions"));
await key("t");
await main("by time", /samples, by time/, /shop:spin\/1 [\d.]+ %/);
await key("t");
await main("by reductions again", /\d+ samples, by reductions/);
await key("d");
await main("compared", /against \d\d:/);
await drawn("the difference", ".drawing canvas", 3);
await key("d");
await main("no more", /compare d/);
const canvas = await page.locator(".drawing canvas").boundingBox();
await page.mouse.click(canvas.x + 20, canvas.y + 30);
await main("zoomed", /whole/);
await key("Escape", "/");
await page.keyboard.type("spin");
await key("Enter");
await main("searched", /samples.* \d+ % /);
await key("a");
await main("allocation", /[\d.]+ [KM]iB allocated/, /shop:|lists:|erlang:/);
await key("g");
await main("by process", /keeper|shop:churn\/1/);
await key("p");
await page.keyboard.type("spinner");
await key("Enter");
await page.waitForFunction(() => !document.querySelector(".prompt"));
await key("a", "g");
await main("of one", /samples, by reductions/, /spinner p/, /shop:spin\/1 100 %/);

// --- 7 JIT, 8 tree and stores
await key("7");
await main("jit", /baseline/, /functions \d/, /shop:spin\/1 (baseline|LLVM) [\d.]+/);
await page.locator(".row", { hasText: "shop:spin/1" }).first().dblclick();
await main("code", /shop:spin\/1 (baseline|LLVM), [\d.]+ (K?i?B) of machine code/, /\d+ % shop.erl:\d+ spin\(N\) -> spin\(N \+ 1\)/, /[0-9a-f]{8} (mov|add|jmp|needs)/);
await shot("code");
await key("b", "/");
await page.keyboard.type("lists:nothing/0");
await key("Enter");
await main("no function", /no such function is loaded/);
await key("b");
await main("jit again", /functions \d/);
await key("8");
await main("tree", /shop:main\/1/, /boss/, /shop:churn\/1/);
const boss = page.locator(".row", { hasText: "boss" }).first();
check("children stand to the right", (await boss.locator(".twig").boundingBox()).x > (await page.locator(".row .twig").first().boundingBox()).x + 10);
await boss.click();
await key("ArrowRight");
await main("opened", /keeper/, /full_box/);
await main("restarts", /tills .*[1-9]\d*; [1-9]\d* in 20 s \(max 100\)/);
await shot("tree");
await key("Tab");
await main("tables", /[2-9] tables/, /stock set|stock/, /5,000/);
await main("how much they are used", /orders.*[1-9][\d.]*k?\s/s);
await shot("tables");
await key("ArrowDown");
await page.locator(".row", { hasText: "stock" }).dblclick();
await main("contents", /5,000 objects/, /\{\d+,\{item,\d+\}\}/);
await key("n");
await main("the next page", /page 2/, /\{\d+,\{item,\d+\}\}/);
await key("/");
await page.keyboard.type("{17,_}");
await key("Enter");
await main("a pattern", /page 1/, /\{17,\{item,17\}\}/);
await shot("contents");
await key("/");
await page.keyboard.press("Control+A");
await page.keyboard.type("[{");
await key("Enter");
await main("no specification", /at character 3: a term is expected/);
await key("b");
await main("tables again", /stock/, /orders/);
await key("Tab");
await main("modules", /\d+ modules/, /lists/);
await key("Tab");
await main("ports", /1 ports/);
await key("Tab");
await key("a");
await main("by application", /(shop|\(ended\)) (shop|\(ended\)) [\d.k]+/);
await key("a");
await main("flow", /who writes to whom/, /shop:churn\/1 [^ ]+ [\d.k]+|\(ended\) shop:churn\/1/);
await key("Tab");
await main("memory", /in use, in pages [\d.]+ [KMG]iB \([\d.]+ % lost/, /small/);
await shot("memory");
await key("Tab");
await main("persistent terms", /\d+ persistent terms/);
await key("Tab");
await main("atoms", /\d+ atoms of [\d,]+/, /the newest atoms/);
for (let k = 0; k < 3; ++k) await key("Tab");
await main("groups", /shops/, /one/, /953.7 MiB/, /[\d.]+k of 100k/, /kill_largest/);
await shot("groups");
await key("ArrowDown");
await key("Enter");
await main("of one group", /1 match/, /grouped/);
await key("Enter");
await main("a process of a group", /\{periodic,50\}/, /of 3, then wait/, /in group 2 one/);
await key("2");
await main("of one group still", /1 match/);
await key("/");
await page.keyboard.press("Control+A");
await page.keyboard.press("Delete");
await key("Enter");
await main("all again", /100,0\d\d processes/);
// --- what was before somebody looked
await key("1");
await main("home again", /Counts and limits/);
const past = await page.evaluate(() => document.querySelectorAll(".growth").length);
check("growth is shown", past > 0);
// --- 0 exits
await key("0");
await main("exits", /[1-9]\d* abnormal exits/, /started as shop:clerk\/1/, /killed/);
await shot("exits");

// --- 9 trace
const answer = async (k, text) => {
  await key(k);
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
  await key("Enter");
  await page.waitForFunction(() => !document.querySelector(".prompt"));
};
await key("9");
await main("no trace", /not tracing/, /calls of nothing/, /at most 100 a second/);
await answer("m", "shop:keeper/1 ets:insert");
await answer("p", "name=keeper | initial=shop:churn/1");
await key("s");
await main("spawned", /what they spawn yes/);
await key("s", "w", "g", "t");
await main("trace", /tracing [\d.k]+ events of 21 processes/, /send <0\.[\d.]+> \{done,\d+\}|receive/, /call ets:insert\(orders, \{\d+,\d+\}\)/);
await rest(2500);
await main("limited", /left out/);
await shot("trace");
await answer("R", "1");
await main("fewer", /at most 1 a second/);
await key("t");
await main("ended", /not tracing/);
await key("P");
await page.keyboard.type("keeper");
await key("Enter");
await main("keeper", /shop:keeper\/1/);
await key("t");
await main("trace of one process", /pid=<0\./, /timeout/);
await key("t");

await key("?");
await shows("help", ".help", /begins anew/);
await key("?");

// --- what is shown has an address, and Back leads to what was shown before
await key("2");
await main("processes again", /100,0\d\d processes/);
check("the title says what and of which program", /^shop \(\d+\) · Processes · whitebeam$/.test(await page.title()));
check("its address", page.url().endsWith("#processes"));
await key("P");
await page.keyboard.type("keeper");
await key("Enter");
await main("a process", /shop:keeper\/1/);
check("a process' address", page.url().endsWith("#process/keeper"));
await page.goBack();
await main("back", /100,0\d\d processes/);
await page.goForward();
await main("forward", /shop:keeper\/1/);
await page.goto(url.replace("/?", "/?interval=1&") + "#system/tables");
await main("by its address", /stock/, /5,000/);

// --- no view is cut, whatever the width, light or dark
for (const [width, height] of [[1024, 768], [1400, 900]]) {
  await page.setViewportSize({ width, height });
  for (const [view, pages] of [[1, 1], [2, 1], [3, 1], [4, 3], [5, 1], [6, 1], [7, 1], [8, 12], [9, 1], [0, 1]]) {
    await key(String(view));
    for (let k = 0; k < pages; ++k) {
      if (k) await key("Tab");
      await rest(700);
      const seen = await outside();
      check(`view ${view}, page ${k} at ${width}: ${seen.slice(0, 3).join("; ")}`, !seen.length);
    }
    if (pages > 1) await key("Tab");
  }
}
await page.setViewportSize({ width: 1280, height: 720 });

// --- columns are chosen, and the choice is kept
await key("2");
await page.locator(".choose").click();
await page.locator(".choices label", { hasText: "priority" }).click();
await main("a chosen column", /priority/, /normal/);
await page.reload();
await key("2");
await main("it is kept", /priority/);
await page.locator(".choose").click();
await page.locator(".choices button").click();

// --- dark, small, hostile names
await page.emulateMedia({ colorScheme: "dark" });
await key("1");
await rest(2500);
await shot("home-dark");
await page.setViewportSize({ width: 420, height: 700 });
await main("small", /processes/);
check("nothing sticks out", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
await page.setViewportSize({ width: 1280, height: 720 });

// --- what a refresh costs: asking and drawing
await key("2");
await main("processes", /spinner/);
const cost = await page.evaluate(async () => {
  const times = [];
  let begin = performance.now();
  const watch = new PerformanceObserver((list) => list.getEntries().forEach((e) => times.push(e.duration)));
  watch.observe({ entryTypes: ["longtask"] });
  await new Promise((done) => setTimeout(done, 5000));
  watch.disconnect();
  return { longest: Math.max(0, ...times), all: times.reduce((a, b) => a + b, 0) / (performance.now() - begin) };
});
console.log(`longest task of the page ${cost.longest.toFixed(0)} ms`);

// --- the machine does not answer for a while
request("stop");
await shows("late", ".banner", /The machine has not answered for 1[1-9] s: waiting/);
request("continue");
await main("answers again", /spinner/);
await page.waitForFunction(() => !document.querySelector(".banner"), null, { timeout: PATIENCE });

// --- the machine goes, another comes
check("no complaints: " + complaints.join("\n"), complaints.length === 0);
request("end");
await shows("gone", ".banner", /The machine has gone/);
request("another");
await main("another", /1[2-5]\d processes/);
check("the banner has gone, too", (await page.locator(".banner").count()) === 0);
await finish();
