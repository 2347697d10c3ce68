# No process left: what programs and OTP's own modules see, that the log says so, and that all works again afterwards.
cat > many.erl <<'E'
-module(many).
-export([go/0]).
go() ->
    process_flag(trap_exit, true),
    Before = erlang:system_info(process_count),
    Ps = fill([]),
    io:format("limit ~p, all used ~p~n", [erlang:system_info(process_limit), length(Ps) + Before =:= erlang:system_info(process_limit)]),
    Operations =
        [{spawn, fun() -> spawn(fun() -> ok end) end}, {spawn_link, fun() -> spawn_link(fun() -> ok end) end},
         {spawn_monitor, fun() -> spawn_monitor(fun() -> ok end) end}, {spawn_opt, fun() -> spawn_opt(fun() -> ok end, [link, monitor]) end},
         {spawn_request, fun() -> R = spawn_request(fun() -> ok end), receive {spawn_reply, R, A, B} -> {A, B} after 5000 -> nothing end end},
         {proc_lib, fun() -> proc_lib:start_link(timer, sleep, [1000]) end}, {gen_server, fun() -> gen_server:start_link(?MODULE, [], []) end},
         {erpc, fun() -> erpc:call(node(), erlang, node, []) end}, {os_cmd, fun() -> os:cmd("echo hi") end},
         {port, fun() -> P = open_port({spawn, "echo hi"}, []), receive {P, {data, D}} -> D after 5000 -> nothing end end},
         {file, fun() -> file:read_file("/dev/null") end}, {tcp, fun() -> {ok, L} = gen_tcp:listen(0, []), gen_tcp:close(L) end},
         {ets, fun() -> ets:info(ets:new(x, []), size) end}, {load, fun() -> code:load_file(queue) end}],
    [show(Name, F) || {Name, F} <- Operations],
    [exit(P, kill) || P <- Ps],
    [receive {'EXIT', P, _} -> ok end || P <- Ps],
    timer:sleep(300),
    [show(Name, F) || {Name, F} <- Operations, Name =/= gen_server],
    halt().
fill(Ps) -> try spawn_link(fun() -> receive after infinity -> ok end end) of P -> fill([P | Ps]) catch error:system_limit -> Ps end.
show(Name, F) -> io:format("~p: ~0p~n", [Name, plain(try F() catch C:E -> {C, E} end)]).
plain(P) when is_pid(P) -> pid;
plain(R) when is_reference(R) -> ref;
plain(T) when is_tuple(T) -> list_to_tuple(plain(tuple_to_list(T)));
plain([H | T]) -> [plain(H) | plain(T)];
plain(X) -> X.
E
erlc many.erl
erl +P 1024 -noshell -s many go > out
grep -E '^(limit|[a-z_]+:)' out; grep -qE '^Too many processes' out && echo reported

# Programs behind ports that die, each in its way.
cat > ports.erl <<'E'
-module(ports).
-export([go/0]).
go() ->
    process_flag(trap_exit, true),
    [begin
        P = open_port({spawn, Command}, [exit_status, binary | Options]),
        Done = (catch F(P)), io:format("~s ~p: ~p ~p~n", [Command, Options, Done, collect(P, [])])
     end || {Command, Options, F} <- [
       {"sh -c 'kill -9 $$'", [], fun nothing/1}, {"sh -c 'kill -SEGV $$'", [], fun nothing/1}, {"sh -c 'exit 3'", [], fun nothing/1},
       {"sh -c 'printf abc; kill -9 $$'", [], fun nothing/1}, {"sh -c 'printf \"\\000\\005ab\"; exit 1'", [{packet, 2}], fun nothing/1},
       {"sh -c 'exec <&-; sleep 3'", [], fun(P) -> timer:sleep(1000), port_command(P, binary:copy(<<1>>, 100000)) end},
       {"/nonexistent/program", [], fun nothing/1}, {"sh -c 'exec >&-; sleep 0.2; exit 5'", [], fun nothing/1},
       {"sh -c 'exec >&-; sleep 0.2; exit 5'", [eof], fun nothing/1}, {"cat", [], fun(P) -> port_close(P) end},
       {"sh -c 'sleep 5 & exit 2'", [], fun nothing/1},
       {"sh -c 'read x; exit 9'", [{line, 10}], fun(P) -> P ! {self(), {command, "x\n"}}, ok end}]],
    [io:format("~p~n", [element(1, element(2, catch open_port({spawn_executable, F}, [])))]) || F <- ["/nonexistent", "/etc/passwd"]],
    Ps = [open_port({spawn, "sh -c 'kill -9 $$'"}, [exit_status]) || _ <- lists:seq(1, 30)],
    io:format("~p~n", [lists:usort([receive {P, {exit_status, S}} -> S after 20000 -> none end || P <- Ps])]),
    halt().
nothing(_) -> ok.
collect(P, All) -> receive {P, X} -> collect(P, [X | All]); {'EXIT', P, W} -> collect(P, [{exit, W} | All]) after 2000 -> lists:reverse(All) end.
E
erlc ports.erl
erl -noshell -s ports go 2>&1 | grep -v "not found"
