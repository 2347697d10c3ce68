# `whitebeam doctor DIR`: what of a release or an application will not run here.
source "$(dirname "$0")/check.sh"
need erlc
app=$scratch/app; mkdir -p "$app/ebin" "$app/priv"
cd "$scratch"
printf -- '-module(good).\n-export([f/0]).\nf() -> lists:seq(1, 3).\n' > good.erl
printf -- '-module(calls).\n-export([f/0]).\nf() -> erts_debug:dist_ext_to_term(x, y).\n' > calls.erl
erlc -o "$app/ebin" good.erl
expect 1 '^0 modules, 0 native libraries' "$WHITEBEAM" doctor "$app/priv"
expect 2 'no directory' "$WHITEBEAM" doctor "$scratch/nowhere"
expect 0 '^1 modules, 0 native libraries: all of it runs here' "$WHITEBEAM" doctor "$app"
erlc -o "$app/ebin" calls.erl
expect 1 '^ebin/calls.beam: calls erts_debug:dist_ext_to_term/2, not there yet' "$WHITEBEAM" doctor "$app"
head -c 400 "$app/ebin/good.beam" > "$app/ebin/short.beam"
expect 1 '^ebin/short.beam: ' "$WHITEBEAM" doctor "$app"
if command -v clang-19 >/dev/null; then
  printf 'void enif_of_tomorrow(void); int enif_is_atom(void*, long);\nvoid *nif_init(void) { enif_of_tomorrow(); enif_is_atom(0, 0); return 0; }\n' > n.c
  clang-19 -shared -fPIC -o "$app/priv/n.so" n.c
  expect 1 '^priv/n.so: library wants enif_of_tomorrow, not there yet$' "$WHITEBEAM" doctor "$app"
  printf 'void driver_output(void);\nvoid *driver_init(void) { driver_output(); return 0; }\n' > d.c
  clang-19 -shared -fPIC -o "$app/priv/d.so" d.c
  expect 1 ', 2 native libraries: 3 of what is above' "$WHITEBEAM" doctor "$app"
  head -c 300 "$app/priv/n.so" > "$app/priv/short.so"
  expect 1 ', 2 native libraries: ' "$WHITEBEAM" doctor "$app"
  echo text > "$app/priv/text.so"
  expect 1 '^priv/text.so: no library' "$WHITEBEAM" doctor "$app"
fi
mkdir -p "$scratch/release/erts-1/bin"; echo another > "$scratch/release/erts-1/bin/beam.smp"
expect 1 '^erts-1/bin/beam.smp: another emulator' "$WHITEBEAM" doctor "$scratch/release"
cp "$WHITEBEAM" "$scratch/release/erts-1/bin/beam.smp"; cp "$app/ebin/good.beam" "$scratch/release"
expect 0 'all of it runs here' "$WHITEBEAM" doctor "$scratch/release"
finish
