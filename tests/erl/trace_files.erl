%% Ports of the driver trace_file_drv as tracers, and what dbg and fprof make of them.
%% skip seeds: a seeded run writes no files of traces
-module(trace_files).
-export([main/1, seen/1, work/1, square/1, tail/2]).

main(_) ->
    show:id(loaded),
    File = "/tmp/trace_files_" ++ os:getpid(),
    one_file(File),
    closed(File),
    wrapped(File),
    sequential(File),
    client(File),
    refused(File),
    profile(File),
    [file:delete(F) || F <- filelib:wildcard(File ++ "*")].

%% --- a file of packets ------------------------------------------------------------------------
one_file(File) ->
    Port = open(File),
    true = port_command(Port, ["raw ", <<"bytes">>]),
    Port ! {self(), {command, <<"sent">>}},
    Pid = worker(),
    say(traced, erlang:trace(Pid, true, [call, procs, send, 'receive', {tracer, Port}])),
    say(info, {element(2, erlang:trace_info(Pid, tracer)) =:= Port, lists:sort(element(2, erlang:trace_info(Pid, flags)))}),
    erlang:trace_pattern({?MODULE, seen, 1}, [{'_', [], [{return_trace}]}], [local]),
    ask(Pid, go),
    say(flushed, erlang:port_control(Port, $f, "")),
    show:is(packets, fun() -> [plain(P) || P <- packets(File)] end),
    stop(Pid),
    erlang:trace_pattern({?MODULE, seen, 1}, false, [local]),
    say(flushed, erlang:port_control(Port, $f, "")),
    say(rest, length(packets(File))),
    show:is("another control", fun() -> erlang:port_control(Port, $x, "") end),
    true = port_close(Port),
    say(closed, length(packets(File))).

worker() ->
    spawn(fun Loop() ->
        receive
            {From, go} -> From ! {self(), seen(41)}, Loop();
            stop -> ok
        end
    end).

seen(X) -> show:id(X) + 1.

ask(Pid, What) ->
    Pid ! {self(), What},
    receive {Pid, Answer} -> Answer end.

stop(Pid) ->
    Ref = monitor(process, Pid),
    Pid ! stop,
    receive {'DOWN', Ref, _, _, _} -> ok end.

open(File) -> (dbg:trace_port(file, File))().

packets(File) ->
    {ok, Bytes} = file:read_file(File),
    split(Bytes).

split(<<0, Size:32, Bytes:Size/binary, Rest/binary>>) -> [Bytes | split(Rest)];
split(<<>>) -> [].

plain(<<131, _/binary>> = Bytes) -> binary_to_term(Bytes);
plain(Bytes) -> Bytes.

%% --- a tracer that ends -----------------------------------------------------------------------
closed(File) ->
    Port = open(File),
    Pid = worker(),
    1 = erlang:trace(Pid, true, [send, {tracer, Port}]),
    port_close(Port),
    ask(Pid, go),
    say(untraced, {erlang:trace_info(Pid, flags), erlang:trace_info(Pid, tracer)}),
    stop(Pid).

%% --- the sequential tracer ------------------------------------------------------------------------
sequential(File) ->
    Port = open(File),
    false = seq_trace:set_system_tracer(Port),
    say(tracer, seq_trace:get_system_tracer() =:= Port),
    seq_trace:set_token(print, true),
    seq_trace:set_token(label, "a label"),
    seq_trace:print(hidden, "not of this label"),
    seq_trace:print("a label", [small, term]),
    self() ! message,
    receive message -> ok end,
    seq_trace:print({large, lists:seq(1, 1000)}),
    seq_trace:set_token([]),
    say(flushed, erlang:port_control(Port, $f, "")),
    show:is(packets, fun() -> [shorter(P) || P <- packets(File)] end),
    say(before, seq_trace:set_system_tracer(Port) =:= Port),
    port_close(Port),
    say('after', seq_trace:get_system_tracer()),
    show:is(closed, fun() -> seq_trace:set_system_tracer(Port) end).

shorter(Bytes) ->
    {seq_trace, Label, {print, Serial, From, To, What}} = binary_to_term(Bytes),
    {Label, Serial, From =:= self(), To, case What of {large, L} -> {large, length(L)}; _ -> What end}.

%% --- files of limited size ----------------------------------------------------------------------
wrapped(File) ->
    Port = (dbg:trace_port(file, {File, wrap, ".part", 100, 3}))(),
    [begin
        port_command(Port, binary:copy(<<N>>, 40)),
        N rem 5 =/= 0 orelse (erlang:port_control(Port, $f, "") =:= [0] andalso say(files, files(File)))
     end || N <- lists:seq(1, 30)],
    port_close(Port),
    say(files, files(File)).

files(File) ->
    [{lists:nthtail(length(File), F), [hd(binary_to_list(P)) || P <- packets(F)]} || F <- lists:sort(filelib:wildcard(File ++ "*.part"))].

%% --- dbg ----------------------------------------------------------------------------------------
client(File) ->
    {ok, _} = dbg:tracer(port, dbg:trace_port(file, File)),
    Pid = worker(),
    {ok, _} = dbg:p(Pid, [c]),
    {ok, _} = dbg:tpl(?MODULE, seen, 1, [{'_', [], [{return_trace}]}]),
    [42 = ask(Pid, go) || _ <- [1, 2]],
    dbg:stop(),
    stop(Pid),
    Self = self(),
    dbg:trace_client(file, File, {fun(Trace, N) -> Self ! {trace, N, Trace}, N + 1 end, 1}),
    show:is(client, fun collect/0),
    dbg:stop().

collect() ->
    receive
        {trace, N, end_of_trace} -> [{N, end_of_trace}];
        {trace, N, Trace} -> [{N, Trace} | collect()]
    end.

%% --- what is refused ------------------------------------------------------------------------------
refused(File) ->
    [show:is(io_lib:format("~p", [hd(lists:reverse(string:split(Args, File, all)))]), fun() -> open_port({spawn, "trace_file_drv " ++ Args}, [eof]) end)
     || Args <- ["", "x", "n", "n ", "n /nonexistent/directory/file", "n /", "w 1 2 n x", "w 10 2 0 99 n x"]].

%% --- fprof ----------------------------------------------------------------------------------------
profile(File) ->
    Trace = File ++ ".trace",
    say(applied, fprof:apply(fun ?MODULE:work/1, [20], [{file, Trace}])),
    ok = fprof:profile([{file, Trace}]),
    ok = fprof:analyse([{dest, File ++ ".analysis"}, {totals, false}]),
    {ok, Terms} = file:consult(File ++ ".analysis"),
    Counts = [{F, N} || {_, {{?MODULE, F, _}, N, _, _}, _} <- Terms],
    say(profile, lists:sort(Counts)),
    fprof:stop().

work(N) -> tail(N, lists:sum([square(X) || X <- lists:seq(1, N)])).
square(X) -> X * X.
tail(0, A) -> A;
tail(N, A) -> tail(N - 1, A).

say(What, Term) -> io:format("~p: ~0p~n", [What, Term]).
