// node machines.mjs URL CHROMIUM SCRATCH SHOTS: several machines side by side; each leads to its own page, and Back returns.
import { readFileSync } from "node:fs";
import { check, complaints, finish, key, main, outside, page, request, rest, scratch, shot, shows, until, url } from "./page.mjs";

const [shop, sick] = readFileSync(`${scratch}/machines`, "utf8").trim().split(" ");
/** The row of a machine comes to show all this. */
async function row(what, pid, ...patterns) {
  for (const p of patterns)
    await until(`${what}: ${p}`, ([pid, source]) => [...document.querySelectorAll(".row")].some((r) => r.innerText.includes(pid) && new RegExp(source).test(r.innerText.replace(/\s+/g, " "))), [pid, p.source]);
}
const list = (what, n) => until(`${what}: ${n} rows`, (n) => location.hash === "#machines" && document.querySelectorAll("main .row").length === n, n);

await page.goto(url);
await list("all machines", 2);
await main("how many", /^2 machines of yours/);
await row("one", shop, /^shop \d+ \d+(\.\d)? % [\d.]+ [KMG]iB 20\.\dk \d+ scanning receive: full_box: .* (\d+m\d\ds|[\d.]+ s) \d+$/);
await row("the other", sick, /^sick /, /call cycle: (prices|discounts)/);
await until("the title", () => document.title === "2 machines · whitebeam");

// --- each leads to its own page, and Back returns
const open = (name) => page.getByRole("link", { name, exact: true }).click();
await open("sick");
await main("its page", /Counts and limits/, /2\d\d/);
await until("its title", (pid) => document.title === `sick (${pid}) · Home · whitebeam`, sick);
check("its address", new URL(page.url()).searchParams.get("machine") === sick);
await key("2");
await main("its processes", /archive|reports/);
await page.goBack();
await page.goBack();
await list("back", 2);
await page.locator(".row", { hasText: shop }).click();
await key("Enter");
await until("by the keyboard", (pid) => document.title === `shop (${pid}) · Home · whitebeam`, shop);
await main("the page of the other", /20,0\d\d/);
await page.locator(".machine a").click();
await list("by the link", 2);
await open("sick");
await main("its page", /Counts and limits/);
await key("A");
await list("by a key", 2);

// --- one that begins comes to be there; one that does not answer holds up no other; one that has ended stays, as such
request("another");
await list("one more", 3);
await main("one more", /^3 machines of yours/);
await row("it", "", /^stall \d+ .*MiB 4 [\d.]+ s \d+$/);
await rest(3000);
await page.setViewportSize({ width: 1280, height: 240 });
await rest(500);
await shot("machines");
await page.setViewportSize({ width: 1280, height: 720 });
request("stop");
await row("stopped", shop, /no answer for \d+ s/);
const up = await page.locator(".row", { hasText: sick }).innerText();
await until("the others go on", ([pid, up]) => [...document.querySelectorAll(".row")].some((r) => r.innerText.includes(pid) && r.innerText !== up), [sick, up]);
request("continue");
await row("goes on", shop, /^(?!.*no answer)/);
request("end");
await row("ended", sick, /^sick \d+ .*MiB \d+ ended [\dm.]+ ?m?s ago/);
await main("how many", /^2 machines of yours, 1 ended/);
check("it leads nowhere", (await page.getByRole("link", { name: "sick", exact: true }).count()) === 0);
await list("it stays", 3);
for (const [width, height] of [[1024, 768], [1400, 900]]) {
  await page.setViewportSize({ width, height });
  await rest(500);
  const seen = await outside();
  check(`at ${width}: ${seen.slice(0, 3).join("; ")}`, !seen.length);
}
check("no complaints: " + complaints.join("\n"), complaints.length === 0);

// --- the page of a machine that has ended leads back to the others
await page.goto(url.replace("?", `?machine=${sick}&`) + "#home");
await shows("of one that has ended", ".banner", /The machine has gone.*all machines/);
await page.locator(".banner a").click();
await list("from there", 3);
await finish();
