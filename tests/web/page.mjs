// The page in headless Chromium, and what tests of it share: node TEST.mjs URL CHROMIUM SCRATCH SHOTS.
import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

export const [url, executablePath, scratch, shots] = process.argv.slice(2);
export const PATIENCE = 30000;
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath, args: flags });
const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: "light", acceptDownloads: true });
export const page = await context.newPage();
page.setDefaultTimeout(PATIENCE);
export const complaints = [];
page.on("pageerror", (e) => complaints.push(e.stack));
page.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
page.on("request", (r) => !r.url().startsWith(new URL(url).origin) && !/^(data|blob):/.test(r.url()) && complaints.push(`asked for ${r.url()}`));

let failures = 0;
export function check(what, ok) {
  if (ok) return;
  ++failures;
  console.log("FAILED:", what);
}
/** All patterns show in an element. */
export async function shows(what, selector, ...patterns) {
  for (const p of patterns) {
    try {
      await page.waitForFunction(([s, source]) => new RegExp(source).test(document.querySelector(s)?.innerText.replace(/\s+/g, " ") ?? ""), [selector, p.source], { timeout: PATIENCE });
    } catch {
      check(`${what}: ${selector} shows ${p}`, false);
      console.log((await page.locator(selector).first().innerText().catch(() => "(not there)")).slice(0, 400).replace(/^/gm, "  | "));
    }
  }
}
export const main = (what, ...patterns) => shows(what, "main", ...patterns);
/** Checks that f comes to hold in the page. */
export const until = (what, f, argument) => page.waitForFunction(f, argument, { timeout: PATIENCE }).catch(() => check(what, false));
export const key = (...keys) => keys.reduce((p, k) => p.then(() => page.keyboard.press(k)), Promise.resolve());
export const shot = async (name) => page.screenshot({ path: `${shots}/observer-${name}.png` });
export const rest = (ms) => page.waitForTimeout(ms);
/** How many different colours a canvas has. */
const colours = (selector) =>
  page.$eval(selector, (c) => {
    const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
    const seen = new Set();
    for (let k = 0; k < data.length; k += 4) seen.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
    return seen.size;
  });
export async function drawn(what, selector, least) {
  for (let k = 0; k < 60; ++k) {
    if ((await colours(selector).catch(() => 0)) >= least) return;
    await rest(500);
  }
  check(`${what}: something is drawn`, false);
}
export async function downloaded(k) {
  const [file] = await Promise.all([page.waitForEvent("download"), key(k)]);
  const path = await file.path();
  return { name: file.suggestedFilename(), text: readFileSync(path, "utf8"), bytes: readFileSync(path) };
}
/** What stands out of the window to the right. */
export const outside = () =>
  page.evaluate(() =>
    [...document.querySelectorAll("nav *, main *, footer *")]
      .filter((e) => e.clientWidth && e.tagName !== "CANVAS" && e.getBoundingClientRect().right > innerWidth + 1)
      .map((e) => `${e.className} ${e.innerText?.slice(0, 40)}`));
/** Something that only the shell can do (surroundings.sh). */
export const request = (what, text = "") => writeFileSync(`${scratch}/${what}`, text);
export async function finish() {
  await browser.close();
  console.log(failures ? `${failures} failures` : "ok");
  process.exit(failures ? 1 : 0);
}
