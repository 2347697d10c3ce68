%% Runs one benchmark inside a VM:  main([Module, Times])
%%
%% A benchmark is a module with one of
%%   run() -> Result                the time counts; Result must be the same in each run and on every
%%                                  VM. Run once to warm up and then Times times, each in a fresh
%%                                  process; each run prints `LABEL UNIT VALUE CPU` (CPU: milliseconds
%%                                  of processor time that the VM used meanwhile), at the end comes
%%                                  `result TEXT`: the term, or its hash where that is shorter
%%   operations() -> {Count, Unit}  beside run/0: time is given as nanoseconds per operation
%%   measure() -> [{Label, Unit, Number | Numbers}]  what it measures itself, once, less is better:
%%                                  lines `LABEL UNIT VALUE` or, of a distribution, `LABEL UNIT V1,V2,...`
-module(bench_driver).
-export([main/1]).

main([Name, Times]) ->
    Module = list_to_atom(Name),
    {module, Module} = code:ensure_loaded(Module),
    case erlang:function_exported(Module, measure, 0) of
        true ->
            [io:format("~s ~s ~s~n", [Label, Unit, lists:join($,, [number(V) || V <- lists:flatten([Value])])])
             || {Label, Unit, Value} <- Module:measure()];
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
    [begin
         Again =:= Result orelse exit({results_differ, Module}),
         io:format("~s ~s ~s ~b~n", [Module, Unit, number(Time / Count), Cpu])
     end || {Time, Cpu, Again} <- Runs],
    io:format("result ~s~n", [text(Result)]).

number(N) -> io_lib:format("~.3f", [N * 1.0]).

text(Result) ->
    case lists:flatten(io_lib:format("~w", [Result])) of
        Text when length(Text) > 200 -> io_lib:format("hash:~b", [erlang:phash2(Result)]);
        Text -> Text
    end.
