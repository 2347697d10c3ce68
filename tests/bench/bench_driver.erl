%% Runs one benchmark inside a VM:  main([Module, Times])
%%
%% A benchmark is a module with one of
%%   run() -> Result                the time counts; Result must be the same on every VM. Run once to
%%                                  warm up and then Times times, each in a fresh process; each run
%%                                  prints `LABEL UNIT VALUE CPU` (CPU: milliseconds of processor
%%                                  time that the VM used meanwhile), at the end comes `result HASH`
%%   operations() -> {Count, Unit}  beside run/0: time is given as nanoseconds per operation
%%   measure() -> [{Label, Unit, Number}]  what it measures itself, once, less is better: lines
%%                                  `LABEL UNIT VALUE 0`
-module(bench_driver).
-export([main/1]).

main([Name, Times]) ->
    Module = list_to_atom(Name),
    {module, Module} = code:ensure_loaded(Module),
    case erlang:function_exported(Module, measure, 0) of
        true ->
            [row(Label, Unit, Value, 0) || {Label, Unit, Value} <- Module:measure()];
        false ->
            {_, _, Result} = timed(Module),
            report(Module, Result, [timed(Module) || _ <- lists:seq(1, list_to_integer(Times))])
    end.

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

report(Module, Result, Runs) ->
    {Count, Unit} = case erlang:function_exported(Module, operations, 0) of
                        true -> Module:operations();
                        false -> {1_000_000, "ms"}
                    end,
    [row(Module, Unit, Time / Count, Cpu) || {Time, Cpu, Same} <- Runs, Same =:= Result],
    io:format("result ~b~n", [erlang:phash2(Result)]).

row(Label, Unit, Value, Cpu) -> io:format("~s ~s ~.3f ~b~n", [Label, Unit, Value * 1.0, Cpu]).
