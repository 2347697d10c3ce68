# Sockets in seeded runs and under `whitebeam explore`: they reach each other in virtual time, the same seed gives
# the same run, what may go wrong with them does on request, and nobody hangs who waits for them.
source "$(dirname "$0")/check.sh"
need erlc

shorthand explore explore
cd "$scratch" || exit 1

program echo_server <<'P'
-module(echo_server).
-export([main/1, retries/1, datagrams/1, nobody/1, waits/1, modern/1, local/1]).

%% A connection for each client; a message is what one recv brings.
main(_) ->
    Port = server([binary, {active, false}]),
    [_, _, _] = clients(3, fun(N) -> ask(Port, [binary, {active, false}], [<<"client ">>, integer_to_binary(N)]) end).

server(Options) ->
    {ok, Listener} = gen_tcp:listen(0, Options),
    {ok, Port} = inet:port(Listener),
    Acceptor = spawn(fun() -> receive go -> accept(Listener) end end),
    ok = gen_tcp:controlling_process(Listener, Acceptor),
    Acceptor ! go,
    Port.
accept(Listener) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    Server = spawn(fun() -> receive go -> echo(Socket) end end),
    ok = gen_tcp:controlling_process(Socket, Server),
    Server ! go,
    accept(Listener).
echo(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Bytes} -> _ = gen_tcp:send(Socket, Bytes), echo(Socket);
        {error, _} -> gen_tcp:close(Socket)
    end.

clients(N, F) ->
    Pids = [spawn_monitor(fun() -> exit({answer, F(K)}) end) || K <- lists:seq(1, N)],
    [receive {'DOWN', Ref, _, Pid, {answer, A}} -> A end || {Pid, Ref} <- Pids].
ask(Port, Options, Text) ->
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, Options),
    ok = gen_tcp:send(Socket, Text),
    Wanted = iolist_to_binary(Text),
    {ok, Wanted} = gen_tcp:recv(Socket, 0),
    gen_tcp:close(Socket),
    Wanted.

%% The same by somebody who expects all of it.
retries(_) ->
    Options = [binary, {active, false}, {packet, 2}],
    Port = server(Options),
    [_, _] = clients(2, fun(_) -> patient(Port, Options, 1000) end).
patient(_, _, 0) -> gave_up;
patient(Port, Options, N) ->
    try ask(Port, Options, <<"hello">>) catch error:{badmatch, {error, _}} -> patient(Port, Options, N - 1) end.

datagrams(_) ->
    {ok, A} = gen_udp:open(0, [binary, {active, true}]),
    {ok, B} = gen_udp:open(0, [binary, {active, false}]),
    {ok, Port} = inet:port(A),
    ok = gen_udp:send(B, {127, 0, 0, 1}, Port, <<"one">>),
    receive {udp, A, {127, 0, 0, 1}, _, <<"one">>} -> ok after 900 -> exit(lost) end.

nobody(_) ->
    {error, econnrefused} = gen_tcp:connect({127, 0, 0, 1}, 4, []),
    {error, enetunreach} = gen_tcp:connect({192, 0, 2, 1}, 80, []),
    {ok, S} = gen_tcp:listen(0, []),
    {error, timeout} = gen_tcp:accept(S, 3600000),
    ok.

%% For ever.
waits(_) ->
    {ok, S} = gen_tcp:listen(0, []),
    gen_tcp:accept(S).

modern(_) ->
    {ok, Listener} = socket:open(inet, stream, tcp),
    ok = socket:bind(Listener, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(Listener),
    {ok, Address} = socket:sockname(Listener),
    spawn_link(fun() ->
        {ok, Client} = socket:open(inet, stream, tcp),
        ok = socket:connect(Client, Address),
        ok = socket:send(Client, <<"ping">>),
        {ok, <<"pong">>} = socket:recv(Client, 4)
    end),
    {ok, Server} = socket:accept(Listener),
    {ok, <<"ping">>} = socket:recv(Server, 4),
    ok = socket:send(Server, <<"pong">>),
    {error, closed} = socket:recv(Server, 0),
    ok.

local(_) ->
    Path = "local.socket",
    _ = file:delete(Path),
    {ok, Listener} = gen_tcp:listen(0, [{ifaddr, {local, Path}}, binary, {active, false}]),
    spawn_link(fun() ->
        {ok, S} = gen_tcp:connect({local, Path}, 0, [binary, {active, false}]),
        ok = gen_tcp:send(S, <<"hello">>),
        {error, closed} = gen_tcp:recv(S, 0)
    end),
    {ok, S} = gen_tcp:accept(Listener),
    {ok, <<"hello">>} = gen_tcp:recv(S, 5),
    gen_tcp:close(S),
    file:delete(Path).
P

for f in main retries datagrams nobody modern local; do
  for seed in 1 2 3; do expect 0 '' "$WHITEBEAM" run --seed $seed echo_server $f; done
done
# Nothing can happen any more: who waits for what.
expect 72 'nothing can happen any more' "$WHITEBEAM" run --seed 1 echo_server waits

# The same seed, the same run.
mkdir logs
for k in 1 2; do "$WHITEBEAM" run --seed 5 --event-log logs/$k echo_server; done
expect 0 '' cmp logs/1 logs/2

# Without faults all runs are well. A part of what was sent breaks who takes one recv for one message; who retries gets
# over connections that are refused or reset; a datagram may be lost, and what is late is late.
expect 0 '^ +100  result' explore echo_server --runs 100 --allow leak
expect 1 '\{badmatch,\{ok,<<"c' explore echo_server --runs 500 --faults slow-read --allow leak --stop
expect 1 'at receive [0-9]+ of 127.0.0.1:[0-9]+>127.0.0.1:[0-9]+: only a part of it comes \(slow-read\)' \
  explore echo_server --runs 500 --faults slow-read --allow leak --stop
expect 1 '\{badmatch,\{error,econnrefused\}\}' explore echo_server --runs 500 --faults refused --allow leak --stop
expect 1 'the connection is reset \(reset\)' explore echo_server --runs 500 --faults reset --allow leak --stop
expect 0 '^ +60  result' explore echo_server --function retries --runs 60 --faults refused,reset,slow-read --allow leak
expect 1 '\{lost|main ended with lost' explore echo_server --function datagrams --runs 300 --faults lost-datagram --stop
expect 1 'it comes a second late \(slow-network\)' explore echo_server --function datagrams --runs 300 --faults slow-network --stop

# Programs of the system run by turns with the machine, each run has its own, and they may be killed.
program outside <<'P'
-module(outside).
-export([main/1, lookup/1, counts/1]).
main(_) ->
    "HELLO\n" = os:cmd("echo hello | tr a-z A-Z").
lookup(_) ->
    {ok, {127, 0, 0, 1}} = inet:getaddr("localhost", inet).
%% One program for all, which counts lines.
counts(_) ->
    Port = open_port({spawn, "sed -u -n ="}, [{line, 100}]),
    Numbers = [begin port_command(Port, "x\n"), receive {Port, {data, {eol, L}}} -> L end end || _ <- [1, 2, 3]],
    ["1", "2", "3"] = Numbers.
P
for f in main lookup counts; do
  expect 0 '' "$WHITEBEAM" run --seed 3 outside $f
  expect 0 '^ +20  result' explore outside --function $f --runs 20 --jobs 2
done
expect 1 'at program [0-9]+ of sed: the program is killed \(killed-port\)' \
  explore outside --function counts --runs 100 --faults killed-port --stop
