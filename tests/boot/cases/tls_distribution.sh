# needs: openssl
# Nodes over TLS, whose connections are carried by processes: messages, small ones in order among large ones, and why a node
# went down.
export ERL_EPMD_PORT=$((20000 + $$ % 20000)) n=tls$$
trap 'epmd -kill > /dev/null 2>&1' EXIT
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout key -out cert 2> /dev/null; cat key cert > both.pem
flags="-proto_dist inet_tls -ssl_dist_opt server_certfile $PWD/both.pem -setcookie cook -noinput"
cat > tls.erl <<'F'
-module(tls).
-export([main/1, echo/0]).
echo() -> receive {P, X} -> P ! X, echo() end.
main([Name]) ->
    Other = list_to_atom(atom_to_list(Name) ++ "@" ++ tl(string:find(atom_to_list(node()), "@"))),
    net_kernel:monitor_nodes(true, [nodedown_reason]),
    true = net_kernel:connect_node(Other),
    P = spawn(Other, ?MODULE, echo, []),
    [begin P ! {self(), T}, receive T -> ok end end || T <- [a, lists:seq(1, 1000), binary:copy(<<1>>, 3000000)]],
    Mixed = [{N, if N rem 500 =:= 0 -> binary:copy(<<N:32>>, 50000); true -> <<N:32>> end} || N <- lists:seq(1, 5000)],
    [P ! {self(), X} || X <- Mixed], [X = receive {_, C} = Z when is_binary(C) -> Z end || X <- Mixed],
    receive Y -> io:format("more: ~p~n", [Y]) after 0 -> ok end,
    io:format("~p~n", [{is_pid(erpc:call(Other, erlang, whereis, [init])), [element(1, X) || {_, X} <- erlang:system_info(dist_ctrl), is_pid(X)]}]),
    Down = fun() -> receive {nodedown, Other, [{nodedown_reason, R}]} -> io:format("down: ~p~n", [R]) after 15000 -> io:format("up~n") end end,
    erlang:disconnect_node(Other), Down(),
    pong = net_adm:ping(Other),
    [exit(C, for_some_reason) || {O, C} <- erlang:system_info(dist_ctrl), O =:= Other], Down(),
    pong = net_adm:ping(Other),
    erpc:cast(Other, erlang, halt, []), Down(),
    halt().
F
sed -i 's/\[element(1, X) || {_, X} <- erlang:system_info(dist_ctrl), is_pid(X)\]/[is_pid(C) || {_, C} <- erlang:system_info(dist_ctrl)]/' tls.erl
erlc tls.erl
erl $flags -sname b$n > /dev/null 2>&1 &
for _ in {1..100}; do epmd -names 2> /dev/null | grep -q "b$n " && break; sleep 0.2; done
timeout 60 erl $flags -sname a$n -s tls main b$n 2>&1 | grep -v REPORT | grep 'down\|true\|false\|crash\|error'
