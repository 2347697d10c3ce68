%% Runs one benchmark inside a VM:  main([Module, Times])
%%
%% A benchmark is a module with run/0. It is run once to warm up and then Times times, each in a
%% fresh process; each run prints a line `LABEL UNIT VALUE CPU` (CPU: milliseconds of processor time
%% that the VM used meanwhile), at the end comes `result HASH`.
%%   run() -> Result                the time counts; Result must be the same on every VM
%%   operations() -> {Count, Unit}  optional: time is given as nanoseconds per operation
%%   run() -> {measured, [{Label, Unit, Number}]}  what it measured itself, less is better
-module(bench_driver).
-export([main/1]).

main([Name, Times]) ->
    Module = list_to_atom(Name),
    {module, Module} = code:ensure_loaded(Module),
    Warm = timed(Module),
    Results = [timed(Module) || _ <- lists:seq(1, list_to_integer(Times))],
    report(Module, Warm, Results).

%% Alone in a process of its own: {Nanoseconds, CpuMilliseconds, Result}.
timed(Module) ->
    {Pid, Monitor} = spawn_monitor(fun() ->
        {Cpu, _} = erlang:statistics(runtime),
        Start = erlang:monotonic_time(),
        Result = Module:run(),
        Time = erlang:monotonic_time() - Start,
        {CpuAfter, _} = erlang:statistics(runtime),
        exit({done, erlang:convert_time_unit(Time, native, nanosecond), CpuAfter - Cpu, Result})
    end),
    receive
        {'DOWN', Monitor, process, Pid, {done, Time, Cpu, Result}} -> {Time, Cpu, Result};
        {'DOWN', Monitor, process, Pid, Reason} -> exit({failed, Module, Reason})
    end.

report(_, {_, _, {measured, _}}, Results) ->
    [row(L, Unit, V, 0) || {_, _, {measured, Rows}} <- Results, {L, Unit, V} <- Rows];
report(Module, {_, _, Result}, Results) ->
    {Count, Unit} = case erlang:function_exported(Module, operations, 0) of
                        true -> Module:operations();
                        false -> {1_000_000, "ms"}
                    end,
    [row(Module, Unit, Time / Count, Cpu) || {Time, Cpu, Same} <- Results, Same =:= Result],
    io:format("result ~b~n", [erlang:phash2(Result)]).

row(Label, Unit, Value, Cpu) -> io:format("~s ~s ~.3f ~b~n", [Label, Unit, Value * 1.0, Cpu]).
