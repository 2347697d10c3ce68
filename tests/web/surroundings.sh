# What starts the tests of the page: sourced. $vm, $here; machines and their page; the test in node, which asks for what only a
# shell can do by a file in $scratch.
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
vm=$(realpath "$1") shots=${2:+$(realpath "$2")}
skip() { echo "skipped: $*"; exit 77; }
[ -x "$vm" ] || skip "$1 is not built"
chromium=$(command -v chromium || command -v chromium-browser) || skip "no chromium (Debian: apt-get install chromium)"
command -v node >/dev/null && command -v npm >/dev/null || skip "no node and npm"

tools=$(dirname "$(dirname "$vm")")/web
mkdir -p "$tools"
if ! cmp -s "$here/package-lock.json" "$tools/package-lock.json" || [ ! -d "$tools/node_modules" ]; then
  cp "$here"/package*.json "$tools"
  (cd "$tools" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund >"$tools/npm.log" 2>&1) ||
    skip "playwright-core cannot be had from npm ($tools/npm.log)"
fi
cp "$here"/*.mjs "$tools"  # beside their node_modules

scratch=$(mktemp -d)
export XDG_RUNTIME_DIR=$scratch/run XDG_CACHE_HOME=$scratch/cache
mkdir -m 700 "$XDG_RUNTIME_DIR"
pids=()  # of machines, in the order in which they began, and of who serves the page
trap '{ kill -9 "${pids[@]}"; wait; } 2>/dev/null; rm -rf "$scratch"' EXIT
machine() {  # PROGRAM ARGUMENT...: until it says that it is ready
  : >"$scratch/out"
  "$vm" run "$here/$1" main "${@:2}" >"$scratch/out" 2>&1 &
  pids+=($!)
  for _ in $(seq 1200); do grep -q ready "$scratch/out" && return; sleep 0.1; done
  echo "FAILED: no machine"; cat "$scratch/out"; exit 1
}
serve() {  # OPTION...: $url
  "$vm" observe --web "$@" >"$scratch/url" &
  pids+=($!)
  for _ in $(seq 300); do [ -s "$scratch/url" ] && break; sleep 0.1; done
  url=$(cat "$scratch/url")
}
asked() { [ -e "$scratch/$1" ] && rm "$scratch/$1"; }
keep() {  # A screenshot, if the documents show it; with pngquant a quarter of the size.
  grep -qF "img/$(basename "$1")" "$here"/../../README.md "$here"/../../docs/*.md || return 0
  cp "$1" "$shots"
  ! command -v pngquant >/dev/null || pngquant --force --quality 70-95 --speed 1 --output "$shots/$(basename "$1")" "$1"
}
drive() {  # TEST.mjs COMMAND: runs the test; meanwhile COMMAND again and again, which does what it has asked for
  rm -f "$tools"/observer-*.png
  timeout 500 node "$tools/$1" "$url" "$chromium" "$scratch" "$tools" &
  local driver=$!
  while kill -0 $driver 2>/dev/null; do "$2"; sleep 0.2; done
  wait $driver || exit
  [ ! "$shots" ] || for f in "$tools"/observer-*.png; do keep "$f"; done
}
