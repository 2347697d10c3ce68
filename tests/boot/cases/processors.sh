# quick
# +sct, +ssrct, +sbt, +stbt: what they say, what is wrong with it, and to what the schedulers' threads are bound.
ask='io:format("~0p~n", [[erlang:system_info(X) || X <- [cpu_topology, {cpu_topology, detected}, {cpu_topology, defined}, scheduler_bind_type, scheduler_bindings, schedulers]]]), halt().'
for f in '+ssrct +sbt db' '+sbt ns +sct L0-1c0-1p0' '+S 4:4 +sbt ns' '+sct L1c0p0:L0c1p0 +sbt ns' '+sbt spread' '+ssrct +stbt ns' '+ssrct +sct L0'; do
  echo "$f: $(erl $f -noshell -eval "$ask" 2>&1 | head -1)"
done
for f in '' L0-1 L0c0p0n0:L1c1p1n0 L0c0n0p0:L1c0n1p0 L0-1t0-1c0p0:L2c1p0; do  # more: vm/core/cpu_topology_test.cc
  echo "+sct $f: $(erl +sct "$f" -noshell -eval 'io:format("~0p~n", [erlang:system_info(cpu_topology)]), halt().' 2>&1 | head -1)"
done
# Threads of the machine that may run on one processor only: those of schedulers, and no other.
cat > bound.erl <<'END'
-module(bound).
-export([go/0]).
go() ->
    Cpus = erlang:system_info(logical_processors_available),
    io:format("~p~n", [erlang:system_info(scheduler_bind_type)]),
    io:format("as many as there are: ~p~n", [bound() =:= min(Cpus, erlang:system_info(schedulers))]),
    [io:format("~p ~p~n", [T, catch erlang:system_flag(scheduler_bind_type, T)]) || T <- [spread, thread_spread, default_bind, unbound]],
    io:format("~p~n", [none_is_bound(300)]),  % a scheduler that sleeps hears of it later
    io:format("~p~n", [element(1, catch erlang:system_flag(scheduler_bind_type, foo))]),
    [io:format("~0p~n", [{try erlang:system_flag(cpu_topology, T) catch error:E -> E end, erlang:system_info(cpu_topology)}])
     || T <- [[{processor, [{core, {logical, 1}}, {core, {logical, 0}}]}], foo, [], [{processor, {logical, 0}}, {node, {logical, 1}}],
              [{thread, [], {logical, 3}}], [{node, [{processor, {logical, 0}}]}, {node, [{processor, {logical, 1}}]}], undefined]],
    halt().
none_is_bound(Times) ->
    bound() =:= 0 orelse Times > 0 andalso begin timer:sleep(10), none_is_bound(Times - 1) end.
bound() ->
    length([T || T <- filelib:wildcard("/proc/self/task/*/status"), {ok, B} <- [file:read_file(T)],
                 match =:= re:run(B, "Cpus_allowed_list:\\s*\\d+\\n", [{capture, none}])]).
END
erlc bound.erl
if [ "$(nproc)" -gt 1 ]; then erl +sbt db -noshell -kernel logger_level error -s bound go; fi
