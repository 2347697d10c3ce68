%% Linked-in drivers: everything that a driver may do (tests/nif/drv_things.c), and how erl_ddll loads and unloads them.
%% skip replay: no linked-in drivers in a recorded run
%% skip seeds: a seeded run opens no drivers of libraries
%% skip repeats: the same
-module(drivers).
-export([main/1]).

-define(P(E), io:format("~s: ~p~n", [??E, is(fun() -> E end)])).
-define(C(E), is(fun() -> E end)).
-define(DRIVER, "drv_things").

is(F) -> try F() catch Class:Reason -> {Class, Reason} end.

directory() -> os:getenv("WB_NIFS", "build/release/nif").
load(Name) -> erl_ddll:try_load(directory(), Name, []).

main(_) ->
    process_flag(trap_exit, false),
    ?P(load(?DRIVER)),
    ?P(opening()), ?P(output([])), ?P(output([binary])), ?P(output([{line, 4}])),
    ?P(control()), ?P(calls()), ?P(terms()), ?P(refused()), ?P(queue()), ?P(timers()), ?P(monitors()), ?P(elsewhere()),
    ?P(descriptors()), ?P(ends()), ?P(flushed()), ?P(busy()), ?P(second()), ?P(links()), ?P(wrong()), ?P(traced()),
    ?P(load("drv_things_locked")), ?P(one_lock()),
    ?P(erl_ddll:unload("drv_things_locked")),
    ?P(erl_ddll:try_unload(?DRIVER, [])), ?P(erl_ddll:info(?DRIVER)),
    loading().

%% --- ports
open(Options) -> open("", Options).
open(Arguments, Options) ->
    P = open_port({spawn_driver, ?DRIVER ++ Arguments}, Options),
    receive {P, {data, _}} -> P after 1000 -> exit(silent) end.
close(P) -> port_close(P), got(P, 1).
%% The next N things that a port tells, without its name, and what else is there.
got(P, N) ->
    receive
        {P, What} -> [What | got(P, N - 1)];
        {P, Tag, Number} -> [{Tag, Number} | got(P, N - 1)];
        {'EXIT', P, Why} -> [{exit, Why} | got(P, N - 1)]
    after if N > 0 -> 3000; true -> 0 end -> [] end.
n(P, Op) -> n(P, Op, []).
n(P, Op, In) -> case port_control(P, Op, In) of A when is_list(A) -> list_to_integer(A); A -> binary_to_integer(A) end.

opening() ->
    P = open_port({spawn, ?DRIVER ++ " some arguments"}, []),
    [receive {P, M} -> M end, erlang:port_info(P, name), erlang:port_info(P, connected) =:= {connected, self()},
     erlang:port_info(P, locking), erlang:port_info(P, os_pid), close(P), erlang:port_info(P),
     [?C(open_port({spawn_driver, ?DRIVER ++ " " ++ How}, [])) || How <- ["fail_general", "fail_badarg", "fail_errno"]],
     ?C(open_port({spawn_driver, "drv_no_such"}, []))].

output(Options) ->
    P = open(Options),
    P ! {self(), {command, "eabcdef"}},
    port_command(P, ["e", <<"abc">>, [<<"d">> | "ef"]]),
    port_command(P, [$e, binary:copy(<<"large">>, 20)]),
    port_command(P, <<"o123">>),
    [port_command(P, [$b, binary:copy(<<"large">>, 20)]) || Options =/= [{line, 4}]],
    [port_command(P, ["b", binary:part(binary:copy(<<"01234567">>, 100), 8, 80)]) || Options =/= [{line, 4}]],
    port_command(P, ""),
    port_command(P, lists:duplicate(1000, $z)),
    [got(P, case Options of [{line, 4}] -> 4; _ -> 8 end), erlang:port_info(P, output), close(P)].

control() ->
    P = open([]),
    R = [port_control(P, $r, "hello"), port_control(P, $r, binary:copy(<<"0123456789">>, 10)), port_control(P, $0, ""),
         ?C(port_control(P, $f, "")), ?C(port_control(P, 16#100000000, "")), ?C(port_control(P, $r, [a])), n(P, $i), n(P, $g), n(P, $q),
         port_control(P, $B, "1"), port_control(P, $r, "hello"), port_control(P, $0, ""), port_control(P, $L, ""), n(P, $i),
         port_control(P, $B, "")],
    close(P),
    [?C(port_control(P, $r, "")) | R].

calls() ->
    P = open([]),
    [erlang:port_call(P, 1, hello), erlang:port_call(P, $k, {1, "two", <<"three">>}), erlang:port_call(P, 2, lists:duplicate(200, x)),
     ?C(erlang:port_call(P, $f, x)), ?C(erlang:port_call(P, $b, x)), close(P)].

terms() ->
    P = open([]),
    1 = n(P, $D),
    T = receive X when is_tuple(X) -> X end,
    [setelement(20, setelement(19, T, pid), port), {element(19, T), element(20, T)} =:= {self(), P}, close(P)].
refused() -> P = open([]), [n(P, $R), got(P, 0), close(P)].

queue() ->
    P = open([]),
    port_command(P, ["qabc", binary:copy(<<"-">>, 70)]), port_command(P, "Qfront"),
    A = port_control(P, $p, ""), N = n(P, $d, [7]), B = port_control(P, $p, ""), Info = erlang:port_info(P, queue_size),
    M = n(P, $d, [71]), Left = n(P, $d, [100]),
    port_command(P, "k"), C = port_control(P, $p, ""),
    [A, N, B, Info, M, Left, C, n(P, $d, [14]), n(P, $l), n(P, $d, [6]), close(P)].

timers() ->
    P = open([]),
    [n(P, $t, [20]), got(P, 1), n(P, $t, [120]), n(P, $T), timer:sleep(150), got(P, 0), n(P, $t, [0]), got(P, 1), close(P)].

monitors() ->
    P = open([]),
    Self = self(),
    spawn(fun() -> Self ! {m, n(P, $m)}, receive after 20 -> ok end end),
    A = receive {m, R} -> R end,
    B = got(P, 1),
    C = n(P, $M),
    D = [n(P, $m), erlang:port_info(P, monitors) =:= {monitors, [{process, self()}]}, n(P, $M), n(P, $M)],
    [A, B, C, D, close(P)].

elsewhere() ->
    P = open([]),
    [port_control(P, $a, [20]), got(P, 20), n(P, $h), got(P, 1), close(P)].

descriptors() ->
    P = open([binary]),
    A = n(P, $s), port_command(P, "wfirst"), B = got(P, 1), port_command(P, "wsecond"), C = got(P, 1),
    D = n(P, $W), E = got(P, 1), F = n(P, $S),
    [A, B, C, D, E, F, got(P, 0), close(P)].

ends() ->
    process_flag(trap_exit, true),
    R = [begin P = open(O), A = (?C(port_control(P, Op, ""))), [A, got(P, N), erlang:port_info(P) =:= undefined, ?C(port_close(P))] end
         || {Op, O, N} <- [{$x, [], 2}, {$X, [], 2}, {$P, [], 2}, {$N, [], 2}, {$E, [], 1}, {$x, [eof], 1}]],
    process_flag(trap_exit, false),
    R.

flushed() ->
    P = open([]),
    port_command(P, "qabc"),
    port_close(P),
    Name = erlang:port_info(P, name),
    timer:sleep(200),
    [Name, got(P, 0), erlang:port_info(P)].

busy() ->
    P = open([]),
    n(P, $u),
    A = [port_command(P, "no", [nosuspend]), port_command(P, "forced", [force])],
    B = got(P, 1),
    true = port_command(P, "suspended"),
    [A, B, got(P, 2), close(P)].

second() ->
    P = open([]),
    port_control(P, $c, ""),
    Q = receive {Port, made, 1} -> Port end,
    [is_port(Q), Q =/= P, erlang:port_info(Q, name) =:= erlang:port_info(P, name), port_control(Q, $r, "abc"), close(Q), close(P)].

links() ->
    process_flag(trap_exit, true),
    Self = self(),
    spawn(fun() -> P = open([]), true = port_connect(P, Self), unlink(P), Self ! {port, P} end),
    P = receive {port, X} -> X end,
    exit(P, because),
    R = got(P, 1),
    Q = open([]),
    unlink(Q), Ref = monitor(port, Q), exit(Q, kill),
    D = receive {'DOWN', Ref, port, Q, Why} -> Why end,
    process_flag(trap_exit, false),
    [R, D, got(Q, 1)].

wrong() ->
    P = open([]),
    [?C(erlang:port_call(P, -1, x)), erlang:port_info(P, input), close(P)].

%% A port as tracer.
traced() ->
    P = open([]),
    T = spawn(fun() -> receive go -> self() ! done end end),
    erlang:trace(T, true, [send, {tracer, P}]),
    T ! go,
    [length(got(P, 1)) > 0, close(P)].

%% Ports of a driver that does not ask for locks of their own.
one_lock() ->
    Ports = [open_port({spawn_driver, "drv_things_locked"}, []) || _ <- lists:seq(1, 5)],
    Self = self(),
    [spawn(fun() -> [port_control(P, $r, "abc") || _ <- lists:seq(1, 200)], Self ! {done, P} end) || P <- Ports],
    [receive {done, P} -> ok end || P <- Ports],
    [erlang:port_info(hd(Ports), locking), [close(P) || P <- Ports]].

%% --- erl_ddll
m(Ref) -> receive {A, Ref, driver, Name, What} -> {A, Name, What} after 300 -> nothing end.
r({ok, What, Ref}) when is_reference(Ref) -> {ok, What, m(Ref)};
r(Other) -> Other.
users() -> [N || {_, N} <- erl_ddll:info(?DRIVER, processes)].
elsewhere(F) -> Self = self(), spawn(fun() -> Self ! {result, F(), self()}, receive stop -> ok end end), receive {result, R, P} -> {R, P} end.

loading() ->
    D = directory(),
    [?P({Name, load(Name)}) || Name <- ["nif_terms", "drv_misnamed", "drv_newer", "drv_init_fails"]],
    ?P(erl_ddll:format_error(element(2, load("nif_terms")))),
    ?P([begin {error, {open_error, N}} = load(Name), erl_ddll:format_error({open_error, N}) end || Name <- ["no_such_driver"]]),
    [?P((erl_ddll:try_load(Path, Name, Options))) || {Path, Name, Options} <- [{1, ?DRIVER, []}, {D, 1, []}, {D, "", []}, {D, ?DRIVER, [x]},
         {D, ?DRIVER, x}, {D, ?DRIVER, [{monitor, x}]}, {D, "tcp_inet", []}, {D, ?DRIVER, [{reload, pending}]}, {D, ?DRIVER, [{driver_options, [x]}]}]],
    ?P((erl_ddll:try_unload("tcp_inet", []))), ?P(erl_ddll:try_unload(?DRIVER, [])), ?P((erl_ddll:try_unload(?DRIVER, [x]))),
    ?P((erl_ddll:info(?DRIVER, processes))), ?P(erl_ddll:info("tcp_inet")),
    %% counted
    ?P(load(?DRIVER)), ?P(load(drv_things)), ?P(users()), ?P(erl_ddll:try_load("/tmp", ?DRIVER, [])),
    ?P(erl_ddll:try_load(D, ?DRIVER, [{driver_options, [kill_ports]}])),
    ?P(lists:member(?DRIVER, element(2, erl_ddll:loaded_drivers()))),
    ?P(element(1, elsewhere(fun() -> erl_ddll:try_unload(?DRIVER, []) end))),
    ?P(m(erl_ddll:monitor(driver, {?DRIVER, loaded}))), ?P(m(erl_ddll:monitor(driver, {"nothing", loaded}))),
    ?P(m(erl_ddll:monitor(driver, {"nothing", unloaded}))), ?P(m(erl_ddll:monitor(driver, {"tcp_inet", unloaded}))),
    [?P((erl_ddll:monitor(A, B))) || {A, B} <- [{x, {?DRIVER, loaded}}, {driver, {?DRIVER, x}}, {driver, x}]],
    ?P(erl_ddll:demonitor(erl_ddll:monitor(driver, {?DRIVER, unloaded}))), ?P((erl_ddll:demonitor(x))),
    ?P(erl_ddll:try_unload(?DRIVER, [])), ?P(users()), ?P(r(erl_ddll:try_unload(?DRIVER, [{monitor, pending}]))), ?P((erl_ddll:info(?DRIVER, processes))),
    %% the last one that has loaded it has ended
    {{ok, loaded}, Pid} = elsewhere(fun() -> load(?DRIVER) end),
    Ref = erl_ddll:monitor(driver, {?DRIVER, unloaded_only}),
    Pid ! stop,
    ?P(m(Ref)),
    %% with a port
    ?P(load(?DRIVER)),
    P = open([]),
    ?P(erl_ddll:info(?DRIVER, port_count)),
    {ok, pending_driver, R1} = erl_ddll:try_unload(?DRIVER, [{monitor, pending_driver}]),
    ?P([N || {_, N} <- erl_ddll:info(?DRIVER, awaiting_unload)]),
    ?P(m(R1)), ?P(is_port(open_port({spawn_driver, ?DRIVER}, []))),
    R2 = erl_ddll:monitor(driver, {?DRIVER, unloaded}),
    ?P(load(?DRIVER)), ?P(m(R2)), ?P(users()),
    R3 = erl_ddll:monitor(driver, {?DRIVER, unloaded}),
    ?P(erl_ddll:try_unload(?DRIVER, [])), close(P), ?P(m(R3)),
    %% its ports are killed
    process_flag(trap_exit, true),
    ?P(erl_ddll:load_driver(D, ?DRIVER)), ?P(erl_ddll:info(?DRIVER, driver_options)),
    P2 = open([]),
    ?P(erl_ddll:unload_driver(?DRIVER)), ?P(got(P2, 2)),
    %% anew
    ?P(load(?DRIVER)), ?P(erl_ddll:reload(D, ?DRIVER)), ?P(users()),
    P3 = open([]),
    R4 = erl_ddll:try_load(D, ?DRIVER, [{reload, pending_driver}, {monitor, pending_driver}]),
    ?P(element(2, R4)), close(P3), ?P(m(element(3, R4))), ?P(users()),
    ?P(element(1, elsewhere(fun() -> erl_ddll:try_load(D, ?DRIVER, [{reload, pending_driver}]) end))),
    %% for good
    P4 = open([]),
    ?P(n(P4, $K)), close(P4),
    ?P(erl_ddll:info(?DRIVER, permanent)), ?P(erl_ddll:try_unload(?DRIVER, [])), ?P(load(?DRIVER)), ?P(m(erl_ddll:monitor(driver, {?DRIVER, unloaded}))).
