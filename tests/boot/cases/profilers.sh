# fprof, eprof, cprof, cover, msacc, lcnt, dbg: what they count and say.
cat > w.erl <<'F'
-module(w).
-compile([export_all, nowarn_export_all]).
work() -> [fib(10), sum(100), lists:sort([3, 1, 2])].
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
sum(0) -> 0;
sum(N) -> N + sum(N - 1).
F
cat > p.erl <<'F'
-module(p).
-compile([export_all, nowarn_export_all]).
print(What, Value) -> io:format("~p: ~0p~n", [What, Value]).
cprof() ->
    print(start, cprof:start() > 1000), w:work(), print(pause, cprof:pause() > 100),
    print(analyse, cprof:analyse(w)), print(stop, cprof:stop() > 100),
    print(one, cprof:start(w, fib, 1)), w:work(), cprof:pause(), print(one, cprof:analyse(w)), cprof:restart(), w:fib(3), cprof:pause(), print(again, cprof:analyse(w)), cprof:stop().
eprof() ->
    print(start, element(1, eprof:start())),
    print(profile, eprof:profile([], w, work, [], {w, '_', '_'})),
    eprof:log("eprof.log"), eprof:analyze(total, [{sort, mfa}]),
    {ok, B} = file:read_file("eprof.log"),
    [io:format("~s ~s~n", [F, C]) || L <- string:split(B, "\n", all), [F, C | _] <- [string:lexemes(L, " ")], binary:match(F, <<"w:">>) =/= nomatch],
    print(stop, eprof:stop()).
fprof() ->
    print(apply, fprof:apply(w, work, [], [{file, "f.trace"}])),
    print(profile, fprof:profile([{file, "f.trace"}])),
    print(analyse, fprof:analyse([{dest, "f.analysis"}, {cols, 120}, {totals, true}])),
    {ok, Terms} = file:consult("f.analysis"),
    print(options, hd(Terms)),
    Counts = lists:usort([{F, C} || T <- tl(Terms), is_tuple(T), {F = {w, _, _}, C, _, _} <- [element(2, T)]]),
    print(counts, Counts), print(stop, fprof:stop()).
msacc() ->
    print(available, msacc:available()), print(started, msacc:start(100)), msacc:stop(),
    S = msacc:stats(), print(keys, lists:usort([lists:sort(maps:keys(M)) || M <- S])),
    print(types, [T || T <- [scheduler, dirty_cpu_scheduler, dirty_io_scheduler], [] =/= [x || #{type := U} <- S, T =:= U]]),
    print(counters, lists:usort([lists:sort(maps:keys(C)) || #{counters := C} <- S])),
    print(to_file, msacc:to_file("m.txt")), print(from_file, length(msacc:from_file("m.txt")) =:= length(S)),
    print(runtime, lists:all(fun is_number/1, [msacc:stats(system_realtime, S), msacc:stats(system_runtime, S)])),
    msacc:print("m.print"), {ok, B} = file:read_file("m.print"),
    [io:format("~s~n", [re:replace(L, "[0-9.]+%|[0-9.]+ us", "N", [global])]) || L <- string:split(B, "\n", all), binary:match(L, <<"Thread">>) =/= nomatch].
lcnt() ->
    print(lcnt, lcnt:start()),
    [print(F, catch_(fun() -> apply(lcnt, F, A) end)) || {F, A} <- [{rt_mask, []}, {rt_collect, []}, {rt_clear, []}, {rt_opt, [{copy_save, true}]}, {collect, []}, {clear, []}, {conflicts, []}, {rt_mask, [[db]]}, {apply, [fun() -> ok end]}]].
cover() ->
    print(compile, cover:compile(w)), w:work(),
    print(module, cover:analyse(w, coverage, module)), print(calls, cover:analyse(w, calls, function)), print(lines, cover:analyse(w, calls, line)),
    print(file, cover:analyse_to_file(w, "w.out", [])), print(html, cover:analyse_to_file(w, "w.html", [html])),
    print(export, cover:export("w.coverdata")), print(import, cover:import("w.coverdata")), print(modules, cover:imported_modules()).
dbg() ->
    print(tracer, element(1, dbg:tracer(process, {fun(T, N) -> io:format("~0p~n", [setelement(2, T, pid)]), N + 1 end, 0}))),
    print(p, element(1, dbg:p(all, [c]))), print(tp, element(1, dbg:tpl(w, fib, 1, [{'_', [], [{return_trace}]}]))),
    w:fib(2), timer:sleep(200), print(ltp, dbg:ltp()), print(stop, dbg:stop_clear()),
    {ok, _} = dbg:tracer(port, dbg:trace_port(file, "dbg.trace")), dbg:p(self(), [c]), dbg:tp(w, sum, 1, x), w:sum(3), dbg:flush_trace_port(), dbg:stop_clear(),
    S = self(), dbg:trace_client(file, "dbg.trace", {fun(end_of_trace, _) -> S ! done; (T, _) -> S ! {t, T} end, x}),
    gather().
gather() -> receive done -> ok; {t, T} -> io:format("~0p~n", [setelement(2, T, pid)]), gather() after 5000 -> timeout end.
catch_(F) -> try F() catch C:R -> {C, R} end.
start() ->
    logger:set_primary_config(level, none),
    [begin io:format("== ~p~n", [F]), try ?MODULE:F() catch C:R:S -> io:format("~p~n", [{C, R, S}]) end end || F <- [cprof, eprof, fprof, msacc, lcnt, cover, dbg]],
    halt().
F
erlc +debug_info w.erl; erlc p.erl
erl -noshell -s p 2>&1 | sed -E 's/^(w:[a-z]*\/[0-9] +[0-9]+ ).*/\1/; /^Total/d'
