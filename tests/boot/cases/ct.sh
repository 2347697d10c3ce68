# ct_run: a suite with groups, a failure and skips: its summary, its logs as HTML.
mkdir -p app/logs; cd app
cat > a_SUITE.erl <<'F'
-module(a_SUITE).
-include_lib("common_test/include/ct.hrl").
-compile([export_all, nowarn_export_all]).
suite() -> [{timetrap, {seconds, 60}}].
all() -> [good, bad, skipped, {group, g}, slow, on_a_peer].
groups() -> [{g, [parallel], [one, two]}].
init_per_suite(C) -> [{here, 1} | C].
end_per_suite(_) -> ok.
init_per_group(_, C) -> C.
end_per_group(_, _) -> ok.
init_per_testcase(_, C) -> C.
end_per_testcase(_, _) -> ok.
good(C) -> 1 = ?config(here, C), ct:pal("said ~p", [good]), ct:log("logged"), {comment, "fine"}.
bad(_) -> 1 = length([a, b]).
skipped(_) -> {skip, "no reason"}.
one(_) -> ok.
two(_) -> ct:comment("two"), ok.
slow(_) -> ct:timetrap(300), timer:sleep(10000).
on_a_peer(_) ->
    {ok, P, N} = ?CT_PEER(), 25 = list_to_integer(erpc:call(N, erlang, system_info, [otp_release])), peer:stop(P).
F
ct_run -suite a_SUITE -logdir logs -cover c.spec -noshell > out 2>&1; echo $?
echo '{incl_mods, [b]}.' > c.spec; printf -- '-module(b).\n-export([f/1]).\nf(1) -> one;\nf(_) -> other.\n' > b.erl; erlc +debug_info b.erl
ct_run -suite a_SUITE -logdir logs -cover c.spec -noshell -case good one > out2 2>&1; echo $?
for o in out out2; do
  grep -v '^Updating\|^- - -\|^$' $o | sed -E 's/[0-9]+-[0-9]+-[0-9]+[ _T][0-9:.]+/TIME/; s/ct@[-a-z0-9]*/NODE/g; s/\[[0-9.]*\]/VERSION/; s/<[0-9.]*>/PID/; s/(stack_size|reductions): [0-9]+/\1: N/'
done
find logs -name '*.html' | sed -E 's/@[^/]*/@NODE/g; s/[0-9]+/N/g; s/\.N\.html/.html/' | sort -u
for f in $(find logs -name 'suite.log.html'); do sed 's/<[^>]*>//g' "$f" | grep -a 'good\|bad\|skipped\|one\|two\|slow\|peer' | sed -E 's/[0-9]+\.[0-9]+s/S/; s/:[0-9]+:[0-9]+\.[0-9]+/T/'; done
