# quick
# A crash dump has what the compiler has noted of a module, and crashdump_viewer's own suite looks for it.
cat > noted.erl <<'F'
-module(noted).
-attr([{some, "thing"}]).
-export([f/0]).
f() -> code:load_file(?MODULE), erlang:halt("we dump").
F
erlc +deterministic noted.erl
ERL_CRASH_DUMP=noted.dump erl -noinput -s noted f >/dev/null 2>&1
echo "exit code $?"
awk '/^=/ { inside = $0 == "=mod:noted"; next } inside && !/size: / { print }' noted.dump
