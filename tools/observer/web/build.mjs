// Makes bundle.html of the sources: one file, no network. `npm ci && npm run build` here. The bundle
// is part of the repository, so whoever has no npm builds all the same; it carries a hash of what it
// was made of, and tests/cli/test_web_bundle.sh compares.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

process.chdir(import.meta.dirname);
const hash = execFileSync("./sources_hash", { encoding: "utf8" }).trim();

const { outputFiles } = await build({
  entryPoints: ["src/main.jsx", "src/style.css"],
  outdir: "out",
  write: false,
  bundle: true,
  minify: true,
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
});
const text = (ending) => outputFiles.find((f) => f.path.endsWith(ending)).text.trim();
const uplotStyle = readFileSync("node_modules/uplot/dist/uPlot.min.css", "utf8").trim();

// What is inlined is allowed by its hash, and nothing else runs or is fetched.
const style = uplotStyle + text(".css");
const script = text(".js").replaceAll("</script", "<\\/script");
const allow = (s) => `'sha256-${createHash("sha256").update(s).digest("base64")}'`;
const policy = `default-src 'none'; script-src ${allow(script)}; style-src ${allow(style)}; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'`;

const licences = ["preact", "uplot"]
  .map((p) => `${p} ${JSON.parse(readFileSync(`node_modules/${p}/package.json`)).version}:\n${readFileSync(`node_modules/${p}/LICENSE`, "utf8").trim()}`)
  .join("\n\n");
const page = readFileSync("index.html", "utf8")
  .replace("{{policy}}", () => policy)
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script)
  .replace("<head>", () => `<!-- sources ${hash}\nMade by build.mjs. Contains\n\n${licences}\n-->\n<head>`);
writeFileSync("bundle.html", page);
console.log(`bundle.html: ${page.length} bytes`);
