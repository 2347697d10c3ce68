%% Ports: external programs, framing, busy ports, links, monitors, names, os:cmd.
%% skip seeds: there a program takes no time, and none keeps its port busy (ports_by_turns.erl)
-module(ports).
-export([main/1]).

main(_Args) ->
    process_flag(trap_exit, true),
    logger:set_primary_config(level, none),
    [begin
         io:format("--- ~p~n", [Name]),
         Fun(),
         flush(0)
     end || {Name, Fun} <- cases()],
    ok.

cases() ->
    [{echo, fun echo/0}, {packets, fun packets/0}, {lines, fun lines/0}, {ends, fun ends/0},
     {executables, fun executables/0}, {surroundings, fun surroundings/0},
     {bad_arguments, fun bad_arguments/0}, {info, fun info/0}, {owners, fun owners/0},
     {bad_signals, fun bad_signals/0}, {exits, fun exits/0}, {links, fun links/0},
     {monitors, fun monitors/0}, {names, fun names/0}, {gone, fun gone/0}, {busy, fun busy/0},
     {closing, fun closing/0}, {large, fun large/0}, {many, fun many/0}, {os_cmd, fun os_cmd/0},
     {texts, fun texts/0}, {files, fun files/0}].

%% --- tools ---
spawn_port(Command, Options) -> open_port({spawn, Command}, Options).

%% The class and reason, and the cause that the error info gives.
try_it(F) ->
    try F()
    catch
        C:R:Trace ->
            Info = proplists:get_value(error_info, element(4, hd(Trace)), #{}),
            {C, R, maps:get(cause, Info, none)}
    end.

%% What `Port` says until it is silent or closed.
said(Port) -> said(Port, 5000).
said(Port, Time) ->
    receive
        {Port, {data, D}} -> [D | said(Port, Time)];
        {Port, eof} -> [eof];
        {Port, closed} -> [closed];
        {Port, M} -> [M | said(Port, Time)];
        {'EXIT', Port, R} -> [{exit, R}]
    after Time -> [silent]
    end.
flush(Time) -> receive _ -> flush(Time) after Time -> ok end.
show(What) -> io:format("~0p~n", [What]).

%% `said`, pieces of streams joined: where they are cut is chance.
text(Port) -> join(said(Port), []).
join([D | Rest], Acc) when is_list(D) -> join(Rest, [Acc | D]);
join([D | Rest], Acc) when is_binary(D) -> join(Rest, [Acc | D]);
join(Rest, Acc) -> {unicode:characters_to_list(Acc), Rest}.

await(F) -> case F() of true -> ok; false -> timer:sleep(5), await(F) end.
next(Port) -> receive {Port, {data, D}} -> D after 5000 -> none end.

%% --- cases ---
echo() ->
    P = spawn_port("cat", []),
    show(is_port(P)),
    P ! {self(), {command, "hi"}},
    show(next(P)),
    show(port_command(P, [<<"a">>, $b | <<"c">>])),
    show(next(P)),
    show(lists:member(P, erlang:ports())),
    show(port_close(P)),
    show(said(P)),
    show(lists:member(P, erlang:ports())),
    B = spawn_port("cat", [binary, use_stdio, hide, in, out, {parallelism, true}]),
    port_command(B, "bin"),
    show(next(B)),
    B ! {self(), close},
    receive {'EXIT', B, R} -> show({exit, R}) end,
    receive {B, closed} -> show(closed) end.

packets() ->
    [begin
         P = spawn_port("cat", [{packet, N}]),
         [port_command(P, D) || D <- ["abc", "", [<<"de">>, "f"], lists:duplicate(200, $x)]],
         show([next(P) || _ <- lists:seq(1, 4)]),
         show({input, erlang:port_info(P, input), erlang:port_info(P, output)}),
         port_close(P)
     end || N <- [1, 2, 4]],
    Big = spawn_port("cat", [{packet, 4}, binary]),
    Data = binary:copy(<<"0123456789">>, 100000),
    port_command(Big, Data),
    show(next(Big) =:= Data),
    port_close(Big),
    flush(10),
    TooLong = spawn_port("cat", [{packet, 1}]),
    show(port_command(TooLong, lists:duplicate(256, $a))),
    show(said(TooLong)),
    show(said(spawn_port("printf '\\000\\003abc\\000\\000\\000\\001x\\000\\005ab'",
                         [{packet, 2}, eof]))).

lines() ->
    Print = "printf 'abcd\\nef\\n\\nxyzt\\r\\nlong'",
    show(said(spawn_port(Print, [{line, 4}]))),
    show(said(spawn_port(Print, [{line, 1000}, eof, binary]))),
    show(said(spawn_port("printf 'abcdefgh'", [{line, 4}, eof, binary]))),
    show(said(spawn_port("printf 'a\\nb\\n'", [{line, 1}, exit_status]))),
    %% A last line without an end comes behind the exit status.
    [show(said(spawn_port("printf 'hello\\nworld'", [{line, 3}, exit_status | More]))) || More <- [[], [eof]]].

ends() ->
    [show({Command, Options, said(spawn_port(Command, Options))}) ||
        {Command, Options} <-
            [{"sh -c 'exit 3'", [exit_status]},
             {"sh -c 'exit 3'", [exit_status, eof]},
             {"sh -c 'exit 3'", [eof]},
             {"sh -c 'exit 3'", []},
             {"sh -c 'kill -9 $$'", [exit_status]},
             {"sh -c 'exec 1>&-; sleep 0.2; exit 4'", [exit_status]},
             {"sh -c 'sleep 0.2 & exit 5'", [exit_status]},
             {"   ", [exit_status]},
             {"true", [in, exit_status]},
             {"echo hi", [exit_status, eof, binary, stream]}]],
    P = spawn_port("true", [out, exit_status]),  % no input: nobody looks for its end
    show(said(P, 200)),
    port_close(P),
    In = spawn_port("sleep 10", [in]),
    show(port_command(In, "abc")),
    show(said(In)),
    Deaf = spawn_port("sh -c 'exec 0<&-; echo ready; sleep 10'", []),
    show(next(Deaf)),
    show(port_command(Deaf, "abc")),
    show(said(Deaf)).

executables() ->
    Sh = fun(Options) -> text(open_port({spawn_executable, "/bin/sh"}, Options)) end,
    show(text(open_port({spawn_executable, "/bin/echo"}, [{args, ["a", "b c", <<"*">>, d]}]))),
    show(text(open_port({spawn_executable, <<"/bin/echo">>}, [{args, [["x", ["y"]]]}]))),
    show(Sh([{args, ["-c", "echo $0 $1", "q", "r"]}])),
    show(Sh([{arg0, "zero"}, {args, ["-c", "echo $0"]}])),
    show(Sh([{args, ["-c", "exit 7"]}, exit_status])),
    show(said(open_port({spawn_executable, "/tmp"}, [exit_status]))),
    [show({F, try_it(fun() -> open_port({spawn_executable, F}, []) end)}) ||
        F <- ["nosuch", "/bin/nosuch", "/etc/passwd", "", [0], 1]],
    show(text(open_port({spawn_executable, os:find_executable("echo")}, [{args, ["found"]}]))).

surroundings() ->
    Run = fun(Command, Options) -> show(text(spawn_port(Command, Options))) end,
    Run("echo $FOO $HOME", [{env, [{"FOO", "bar"}, {"HOME", false}]}]),
    Run("echo $A", [{env, [{"A", "b"}, {"A", "c"}]}]),
    Run("echo $A $B", [{env, [{"A", "b"}]}, {env, [{"B", "c"}]}]),
    os:putenv("WB_PORTS", "inherited"),
    Run("echo $WB_PORTS", []),
    os:unsetenv("WB_PORTS"),
    Run("echo $WB_PORTS", []),
    Run("pwd", [{cd, "/usr"}]),
    Run("pwd", [{cd, "/nonexist"}, exit_status]),
    Run("echo a 1>&2", [stderr_to_stdout]),
    Run("ls /proc/self/fd | wc -l", []),
    Run("grep -E '^(SigBlk|SigPnd)' /proc/self/status", []),
    Run("ps -o pid= -o pgid= -o sid= -p $$ | awk '{print $1 - $2, $1 - $3}'", []),
    P = spawn_port("sh -c 'echo x >&4; read a <&3; echo $a >&4; exit 2'",
                   [nouse_stdio, exit_status, {line, 10}]),
    show(next(P)),
    port_command(P, "reply\n"),
    show(said(P)).

bad_arguments() ->
    [show({Name, Options, try_it(fun() -> open_port(Name, Options), opened end)}) ||
        {Name, Options} <-
            [{{spawn, ""}, []}, {{spawn, [0]}, []}, {{spawn, "a" ++ [0]}, []}, {{spawn, 1}, []},
             {{foo, "x"}, []}, {"/no/x", []}, {"", []}, {{spawn, "true"}, foo}, {{spawn, "true"}, [foo]},
             {{spawn, "true"}, [{packet, 3}]}, {{spawn, "true"}, [{line, 0}]},
             {{spawn, "true"}, [{line, -1}]}, {{spawn, "true"}, [in | out]},
             {{spawn, "true"}, [{args, []}]}, {{spawn, "true"}, [{arg0, "x"}]},
             {{spawn_executable, "/bin/true"}, [{args, foo}]},
             {{spawn_executable, "/bin/true"}, [{args, ["a" | "b"]}]},
             {{spawn_executable, "/bin/true"}, [{args, [[0]]}]},
             {{spawn_executable, "/bin/true"}, [{args, "abc"}]},
             {{spawn_executable, "/bin/true"}, [{arg0, 1}]},
             {{spawn, "true"}, [{cd, 1}]},
             {{spawn, "true"}, [{env, foo}]}, {{spawn, "true"}, [{env, [foo]}]},
             {{spawn, "true"}, [{env, [{"A", 1}]}]}, {{spawn, "true"}, [{env, [{"A=B", "1"}]}]},
             {{spawn, "true"}, [{env, [{"A", [$1, 0]}]}]}, {{spawn, "true"}, [{env, [{a, b}]}]},
             {{spawn, "true"}, [{env, [{"A", "b"} | foo]}]},
             {{spawn, "true"}, [{parallelism, foo}]}, {{spawn, "true"}, [{busy_limits_port, foo}]},
             {{spawn, "true"}, [{busy_limits_port, {2, 1}}]},
             {{spawn, "true"}, [{busy_limits_msgq, disabled}]},
             {{spawn_driver, "foo"}, []}, {{spawn_driver, 1}, []},
             {{fd, a, b}, []}, {{fd, -1, 1}, []}]],
    P = spawn_port("cat", []),
    [show(try_it(F)) ||
        F <- [fun() -> port_command(P, foo) end, fun() -> port_command(P, [256]) end,
              fun() -> port_command(P, "a", [foo]) end, fun() -> port_command(P, "a", foo) end,
              fun() -> port_command(P, "a", [force]) end,
              fun() -> port_command(P, "a", [nosuspend]) end,
              fun() -> port_command(nosuch, "a") end, fun() -> port_command(1, "a", [foo]) end,
              fun() -> port_control(P, 1, "a") end, fun() -> erlang:port_call(P, 1, "a") end,
              fun() -> erlang:port_call(P, "a") end, fun() -> port_control(P, x, "a") end,
              fun() -> port_connect(P, foo) end, fun() -> port_connect(foo, self()) end,
              fun() -> port_close(foo) end, fun() -> erlang:port_info(foo) end,
              fun() -> erlang:port_info(self()) end, fun() -> erlang:port_info(foo, id) end,
              fun() -> erlang:port_info("x", id) end, fun() -> erlang:port_info(P, foo) end,
              fun() -> monitor(port, self()) end, fun() -> monitor(process, P) end,
              fun() -> monitor(port, "a") end, fun() -> link("a") end]],
    port_close(P).

info() ->
    P = spawn_port("cat", [{parallelism, true}]),
    Items = [registered_name, name, links, connected, input, output, monitors, monitored_by,
             parallelism, queue_size, locking],
    Hide = fun(Pid) when Pid =:= self() -> me; (X) -> X end,
    Shown = fun() ->
                [case erlang:port_info(P, I) of
                     {I, [X | Xs]} -> {I, [Hide(Y) || Y <- [X | Xs]]};
                     {I, X} -> {I, Hide(X)};
                     [] -> {I, none}
                 end || I <- Items]
            end,
    show(Shown()),
    port_command(P, "abc"),
    next(P),
    show(Shown()),
    show([K || {K, _} <- erlang:port_info(P)]),
    {id, Id} = erlang:port_info(P, id),
    {os_pid, Os} = erlang:port_info(P, os_pid),
    {memory, M} = erlang:port_info(P, memory),
    show({is_integer(Id), is_integer(Os), M > 0}),
    show(os:cmd("ps -o args= -p " ++ integer_to_list(Os))),
    show(lists:member(P, element(2, process_info(self(), links)))),
    show({erlang:port_get_data(P), erlang:port_set_data(P, {a, "b"}), erlang:port_get_data(P)}),
    port_close(P),
    show({erlang:port_info(P), erlang:port_info(P, id), erlang:port_info(P, foo)}),
    show(try_it(fun() -> erlang:port_get_data(P) end)),
    Fd = open_port({fd, 0, 1}, [out]),
    show({erlang:port_info(Fd, name), erlang:port_info(Fd, os_pid)}),
    port_close(Fd),
    show(erlang:system_info(port_limit)).

owners() ->
    Me = self(),
    Forward = fun F() -> receive M -> Me ! {other, M}, F() end end,
    P = spawn_port("cat", []),
    Other = spawn(Forward),
    P ! {Me, {connect, Other}},
    receive {P, connected} -> show(connected) end,
    show(erlang:port_info(P, connected) =:= {connected, Other}),
    show(erlang:port_info(P, links) =:= {links, [Me]}),
    P ! {Other, {command, "for the owner"}},
    receive {other, {P, {data, D}}} -> show(D) end,
    port_command(P, "by anybody"),
    receive {other, {P, {data, D2}}} -> show(D2) end,
    exit(Other, kill),
    flush(50),
    show(erlang:port_info(P, name)),  % message connect makes no link
    port_close(P),
    Q = spawn_port("cat", []),
    Third = spawn(Forward),
    show(port_connect(Q, Third)),
    show(lists:sort(element(2, erlang:port_info(Q, links))) =:= lists:sort([Me, Third])),
    show(process_info(Third, links) =:= {links, [Q]}),
    exit(Third, stopped),
    flush_until_exit(Q),
    show(erlang:port_info(Q)),
    spawn(fun() -> Me ! {port, spawn_port("cat", [])}, receive go -> ok end end),
    receive {port, R} -> ok end,
    link(R),
    show(erlang:port_info(R, links) =/= {links, [Me]}),
    {connected, Owner} = erlang:port_info(R, connected),
    Owner ! go,
    flush_until_exit(R).
flush_until_exit(P) -> receive {'EXIT', P, Why} -> show({exit, Why}) end.

bad_signals() ->
    Me = self(),
    P = spawn_port("cat", []),
    [begin
         P ! M,
         receive {'EXIT', P, Why} -> show({Why, erlang:port_info(P, name)}) end
     end || M <- [foo, {Me, foo}, {Me, {command, foo}}, {Me, {command, [a]}},
                  {Me, {connect, foo}}, {Me, {foo, bar}}, {Me, close, x},
                  {spawn(fun() -> ok end), {command, "x"}}, {foo, close}]],
    unlink(P),
    P ! foo,
    receive {'EXIT', P, W} -> show({unlinked, W}) end,
    show(element(2, spawn_wait(fun() -> Q = spawn_port("cat", []), Q ! foo, timer:sleep(5000) end))),
    port_close(P).
spawn_wait(F) ->
    {Pid, Ref} = spawn_monitor(F),
    receive {'DOWN', Ref, process, Pid, R} -> {down, R} end.

exits() ->
    [begin
         P = spawn_port("cat", []),
         show({R, exit(P, R), said(P)})
     end || R <- [normal, foo, kill, {a, "tuple"}]],
    P = spawn_port("cat", []),
    spawn(fun() -> exit(P, normal) end),
    show(said(P)),
    show(spawn_wait(fun() -> Q = spawn_port("true", []), await(fun() -> erlang:port_info(Q) =:= undefined end), exit(fine) end)),
    show(spawn_wait(fun() -> Q = spawn_port("cat", []), exit(Q, why), timer:sleep(5000) end)),
    show(spawn_wait(fun() ->
             Q = spawn_port("sh -c 'exec 0<&-; echo; sleep 10'", []),
             next(Q),
             port_command(Q, "abc"),
             timer:sleep(5000)
         end)).

links() ->
    P = spawn_port("cat", []),
    show(spawn_wait(fun() -> link(P), ok end)),
    show(erlang:port_info(P, name)),  % only its owner's normal end ends it
    show(spawn_wait(fun() -> link(P), unlink(P), exit(foo) end)),
    show(erlang:port_info(P, name)),
    show(spawn_wait(fun() -> link(P), exit(bar) end)),
    show(said(P)),
    U = spawn_port("cat", []),
    unlink(U),
    show(erlang:port_info(U, links)),
    link(U),
    show(erlang:port_info(U, links) =:= {links, [self()]}),
    unlink(U),
    port_close(U),
    receive {'EXIT', U, _} -> show(unexpected) after 20 -> show(unlinked) end.

monitors() ->
    P = spawn_port("cat", []),
    unlink(P),
    R = monitor(port, P),
    show(erlang:port_info(P, monitored_by) =:= {monitored_by, [self()]}),
    show(process_info(self(), monitors) =:= {monitors, [{port, P}]}),
    R2 = monitor(port, P),
    show(demonitor(R2, [info, flush])),
    port_close(P),
    receive {'DOWN', R, port, P, Why} -> show(Why) end,
    R3 = monitor(port, P),
    receive {'DOWN', R3, port, P, Why3} -> show(Why3) end,
    R4 = monitor(port, no_such_name),
    receive {'DOWN', R4, port, {no_such_name, N}, Why4} -> show({N, Why4}) end,
    Q = spawn_port("cat", []),
    {Pid, _} = spawn_monitor(fun() -> monitor(port, Q), receive x -> ok end end),
    await(fun() -> erlang:port_info(Q, monitored_by) =:= {monitored_by, [Pid]} end),
    exit(Pid, kill),
    await(fun() -> erlang:port_info(Q, monitored_by) =:= {monitored_by, []} end),
    R5 = monitor(port, Q, [{tag, gone}]),
    exit(Q, stop),
    receive {gone, R5, port, Q, Why5} -> show(Why5) end.

names() ->
    P = spawn_port("cat", []),
    register(my_port, P),
    show({whereis(my_port) =:= P, erlang:port_info(my_port, registered_name)}),
    show(hd(erlang:port_info(P))),
    show([try_it(fun() -> register(A, B) end) || {A, B} <- [{my_port2, P}, {my_port, self()}, {undefined, P}]]),
    R = monitor(port, my_port),
    my_port ! {self(), {command, "by name"}},
    show(next(P)),
    {my_port, node()} ! {self(), {command, "by node"}},
    show(next(P)),
    show(port_command(my_port, "command")),
    show(next(P)),
    my_port ! {self(), close},
    receive {'EXIT', P, W1} -> show(W1) end,
    receive {'DOWN', R, port, Object, W2} -> show({Object, W2}) end,
    receive {P, closed} -> show(closed) end,
    show(whereis(my_port)),
    show(try_it(fun() -> register(my_port, P) end)),
    show(try_it(fun() -> my_port ! x end)),
    Q = spawn_port("cat", []),
    register(my_port, Q),
    unregister(my_port),
    show({whereis(my_port), erlang:port_info(Q, registered_name)}),
    port_close(Q).

gone() ->
    P = spawn_port("cat", []),
    port_close(P),
    flush(10),
    show([try_it(F) ||
             F <- [fun() -> P ! foo end, fun() -> port_command(P, "") end,
                   fun() -> port_connect(P, self()) end, fun() -> port_close(P) end,
                   fun() -> exit(P, foo) end, fun() -> unlink(P) end,
                   fun() -> erlang:send(P, foo, [nosuspend]) end,
                   fun() -> erlang:port_set_data(P, 1) end]]),
    show(link(P)),
    receive {'EXIT', P, W} -> show(W) end,
    process_flag(trap_exit, false),
    show(try_it(fun() -> link(P) end)),
    process_flag(trap_exit, true).

%% The program does not read until its input has a line of `sleep`'s own.
busy() ->
    Big = binary:copy(<<"x">>, 200000),
    P = spawn_port("sh -c 'sleep 0.5; wc -c; sleep 0.1'", []),
    show(port_command(P, Big)),
    show(port_command(P, "a", [nosuspend])),
    show(erlang:send(P, {self(), {command, "a"}}, [nosuspend])),
    {queue_size, Q} = erlang:port_info(P, queue_size),
    show(Q > 8192),
    show(erlang:port_info(P, output)),
    Me = self(),
    Pids = [spawn(fun() ->
                      case N of
                          1 -> port_command(P, "by command");
                          2 -> P ! {Me, {command, "by message"}};
                          3 -> erlang:send(P, {Me, {command, "by send"}})
                      end,
                      Me ! {sent, N}
                  end) || N <- [1, 2, 3]],
    await(fun() -> [process_info(Pid, status) || Pid <- Pids] =:= lists:duplicate(3, {status, suspended}) end),
    Dying = spawn(fun() -> port_command(P, "never") end),
    await(fun() -> process_info(Dying, status) =:= {status, suspended} end),
    exit(Dying, kill),
    [receive {sent, N} -> show({sent, N}) end || N <- [1, 2, 3]],
    show(erlang:port_info(P, output)),
    port_close(P),
    D = spawn_port("sleep 0.3", []),
    port_command(D, Big),
    show(try_it(fun() -> port_command(D, "suspended until it is gone") end)),
    show(said(D)).

%% What was queued before the port was closed is still written.
closing() ->
    File = filename:join("/tmp", "wb_ports_" ++ os:getpid()),
    P = spawn_port("sh -c 'sleep 0.3; wc -c > " ++ File ++ "'", []),
    R = monitor(port, P),
    port_command(P, binary:copy(<<"y">>, 300000)),
    P ! {self(), close},
    receive {'EXIT', P, W} -> show(W) end,
    receive {'DOWN', R, port, P, W2} -> show(W2) end,
    show({erlang:port_info(P, links), try_it(fun() -> port_command(P, "z") end)}),
    receive {P, closed} -> show(closed) end,
    show(erlang:port_info(P)),
    await(fun() -> case file:read_file(File) of {ok, <<>>} -> false; {ok, _} -> true; _ -> false end end),
    show(file:read_file(File)),
    file:delete(File).

large() ->
    P = spawn_port("head -c 3000000 /dev/zero", [binary, exit_status]),
    show(sizes(P, 0)),
    C = spawn_port("cat", [binary]),
    Data = [<<I:32>> || I <- lists:seq(1, 2500)],
    spawn_link(fun() -> port_command(C, Data) end),
    show(collect(C, 10000, []) =:= iolist_to_binary(Data)),
    port_close(C).
sizes(P, N) ->
    receive
        {P, {data, D}} -> sizes(P, N + byte_size(D));
        {P, M} -> {M, N}
    end.
collect(_, N, Acc) when N =< 0 -> iolist_to_binary(lists:reverse(Acc));
collect(C, N, Acc) -> receive {C, {data, D}} -> collect(C, N - byte_size(D), [D | Acc]) end.

many() ->
    Ports = [spawn_port("cat", [binary]) || _ <- lists:seq(1, 30)],
    [port_command(P, integer_to_binary(I)) || {I, P} <- lists:enumerate(Ports)],
    show([next(P) || P <- Ports]),
    show(length(lists:usort(Ports)) =:= 30 andalso lists:sort(Ports) =:= Ports),
    [port_close(P) || P <- Ports],
    [receive {'EXIT', P, normal} -> ok end || P <- Ports],
    Me = self(),
    Pids = [spawn(fun() ->
                      Me ! {self(), os:cmd("echo " ++ integer_to_list(I))}
                  end) || I <- lists:seq(1, 20)],
    show([receive {Pid, Text} -> Text end || Pid <- Pids]),
    show(os:cmd("ps -o stat= --ppid " ++ os:getpid() ++ " | grep -c Z")).

os_cmd() ->
    show(os:cmd("echo hi; exit 3")),
    show(os:cmd("nosuchcmd")),
    show(os:cmd("cat")),
    show(os:cmd("cd /usr && pwd")),
    show(os:cmd("echo abcdef", #{max_size => 3})),
    show(os:cmd('echo atom')),
    show(length(os:cmd("head -c 200000 /dev/zero | tr '\\000' 'a'"))),
    show(try_it(fun() -> os:cmd(1) end)),
    show(os:find_executable("no such thing")).

texts() ->
    P = spawn_port("cat", []),
    Text = port_to_list(P),
    show(lists:prefix("#Port<0.", Text)),
    show(list_to_port(Text) =:= P),
    show(lists:flatten(io_lib:format("~p", [P])) =:= Text),
    show(binary_to_term(term_to_binary(P)) =:= P),
    show({is_port(P), is_pid(P), is_port(self()), P < self(), make_ref() < P}),
    port_close(P).

%% A name alone is a file: its bytes arrive, then the port ends; what is sent is written from its
%% start.
files() ->
    Dir = "/tmp/ports-" ++ os:getpid(),
    ok = file:make_dir(Dir),
    File = Dir ++ "/f",
    [begin
         Before =:= none orelse file:write_file(File, Before),
         P = try open_port(name(Kind, File), Options) catch error:R -> R end,
         is_port(P) andalso is_list(Data) andalso show(catch port_command(P, Data)),
         show({Kind, Options, is_port(P) orelse P,
               is_port(P) andalso lists:member(in, Options) andalso said(P)}),
         catch port_close(P),
         show(file:read_file(File)),
         file:delete(File)
     end || {Kind, Before, Options, Data} <-
                [{string, "hello", [in], none}, {atom, "hello", [in, binary, eof], none},
                 {string, "hello", [out], "abc"}, {string, none, [out], "abc"},
                 {string, none, [in], none}, {string, none, [in, out], none},
                 {string, "long text", [in, out, eof], none}, {string, "a\nb", [in, {line, 9}], none},
                 {string, <<0:800>>, [in, {packet, 4}, eof], none}]],
    show(try open_port(Dir, [in, out]) catch error:R -> R end),
    file:del_dir(Dir).

name(atom, File) -> list_to_atom(File);
name(string, File) -> File.
