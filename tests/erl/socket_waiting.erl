%% Waiting for sockets through prim_socket: select messages, queues of readers, writers and acceptors, cancel, close
%% and the end of owners and of those who wait.
-module(socket_waiting).
-export([main/0, main/1]).

main([_ | _] = Names) -> run([list_to_atom(N) || N <- Names]);
main(_) -> main().

main() ->
    run([one_reader, queue_of_readers, cancels, acceptors, writers, connecting, closing, closing_while_others_wait, owner_killed,
              waiting_process_killed, given_away, given_to_dead, dropped, many_readers, registry, monitors]).

run(Tests) ->
    socket:supports(),
    [begin io:format("~n== ~w~n", [T]), test(T) end || T <- Tests],
    ok.

-define(P, prim_socket).

%% --- tools
say(Text, F) -> io:format("~s: ~0p~n", [Text, try F() catch C:R -> {raised, C, R} end]).

state(S) -> maps:with([rstates, wstates, num_readers, num_writers, num_acceptors], ?P:info(S)).

handle(Name) -> Ref = make_ref(), put(Ref, Name), Ref.

%% What comes within that time, by the names of handles.
messages(Ms) ->
    receive
        {'$socket', {'$socket', _}, abort, {Handle, Reason}} -> [{abort, get(Handle), Reason} | messages(Ms)];
        {'$socket', {'$socket', _}, What, Handle} -> [{What, get(Handle)} | messages(Ms)];
        Other -> [Other | messages(Ms)]
    after Ms -> []
    end.

message() ->
    receive
        {'$socket', {'$socket', _}, abort, {Handle, Reason}} -> {abort, get(Handle), Reason};
        {'$socket', {'$socket', _}, What, Handle} -> {What, get(Handle)}
    after 5000 -> nothing
    end.

listener() ->
    {ok, L} = ?P:open(inet, stream, tcp, #{}),
    ok = ?P:bind(L, #{family => inet, addr => loopback}),
    ok = ?P:listen(L, 100),
    {ok, Address} = ?P:sockname(L),
    {L, Address}.

pair() ->
    {L, Address} = listener(),
    {ok, C} = ?P:open(inet, stream, tcp, #{}),
    ok = socket:connect({'$socket', C}, Address),
    {ok, {'$socket', S}} = socket:accept({'$socket', L}),
    close(L),
    {C, S}.

close(S) -> socket:close({'$socket', S}).

%% Runs in another process, which then waits to be told the next.
other() ->
    Me = self(),
    spawn(fun() -> other(Me) end).
other(Me) ->
    receive
        {run, F} -> Me ! {self(), try F() catch C:R -> {raised, C, R} end}, other(Me);
        stop -> ok
    end.
in(Pid, F) -> Pid ! {run, F}, receive {Pid, Result} -> Result end.

%% --- tests
test(one_reader) ->
    {C, S} = pair(),
    say("nothing there", fun() -> ?P:recv(S, 0, [], handle(first)) end),
    say("state", fun() -> state(S) end),
    say("send", fun() -> ?P:send(C, <<"hello">>, [], handle(x)) end),
    say("message", fun() -> message() end),
    say("state", fun() -> state(S) end),
    say("read", fun() -> ?P:recv(S, 3, [], handle(y)) end),
    say("state", fun() -> state(S) end),
    say("rest", fun() -> ?P:recv(S, 0, [], handle(z)) end),
    say("more", fun() -> ?P:recv(S, 10, [], handle(a)) end),
    say("again", fun() -> ?P:recv(S, 10, [], handle(b)) end),
    ?P:send(C, <<"1234">>, [], handle(x)),
    say("the newer handle", fun() -> message() end),
    say("a part", fun() -> ?P:recv(S, 10, [], handle(c)) end),
    ?P:send(C, <<"5678">>, [], handle(x)),
    say("message", fun() -> message() end),
    say("zero", fun() -> ?P:recv(S, 10, [], zero) end),
    say("zero, nothing", fun() -> ?P:recv(S, 10, [], zero) end),
    say("state", fun() -> state(S) end),
    say("recvfrom", fun() -> ?P:recvfrom(S, 0, [], handle(d)) end),
    ?P:shutdown(C, write),
    say("message", fun() -> message() end),
    say("end", fun() -> ?P:recv(S, 0, [], handle(e)) end),
    say("end", fun() -> ?P:recvmsg(S, 0, 0, [], handle(e)) end),
    say("state", fun() -> state(S) end),
    say("none", fun() -> messages(50) end),
    close(C), close(S);

test(queue_of_readers) ->
    {C, S} = pair(),
    A = other(), B = other(),
    say("first", fun() -> in(A, fun() -> ?P:recv(S, 0, [], handle(a1)) end) end),
    say("second", fun() -> in(B, fun() -> ?P:recv(S, 0, [], handle(b1)) end) end),
    say("third", fun() -> ?P:recv(S, 0, [], handle(m1)) end),
    say("twice", fun() -> ?P:recv(S, 0, [], handle(m2)) end),
    say("twice zero", fun() -> ?P:recv(S, 0, [], zero) end),
    say("state", fun() -> state(S) end),
    ?P:send(C, <<"abc">>, [], handle(x)),
    say("a", fun() -> in(A, fun() -> message() end) end),
    say("b", fun() -> in(B, fun() -> messages(30) end) end),
    say("a reads", fun() -> in(A, fun() -> ?P:recv(S, 1, [], handle(a2)) end) end),
    say("b", fun() -> in(B, fun() -> message() end) end),
    say("b reads", fun() -> in(B, fun() -> ?P:recv(S, 1, [], handle(b2)) end) end),
    say("we", fun() -> message() end),
    say("we read", fun() -> ?P:recv(S, 0, [], handle(m3)) end),
    say("state", fun() -> state(S) end),
    A ! stop, B ! stop,
    close(C), close(S);

test(cancels) ->
    {C, S} = pair(),
    R1 = handle(r1), R2 = handle(r2),
    say("wait", fun() -> ?P:recv(S, 0, [], R1) end),
    say("other handle", fun() -> ?P:cancel(S, recv, R2) end),
    say("other operation", fun() -> ?P:cancel(S, accept, R1) end),
    say("a reader's as well", fun() -> ?P:cancel(S, recvmsg, R1) end),
    say("gone", fun() -> ?P:cancel(S, recv, R1) end),
    say("wait", fun() -> ?P:recv(S, 0, [], R1) end),
    say("newer", fun() -> ?P:recv(S, 0, [], R2) end),
    say("old", fun() -> ?P:cancel(S, recv, R1) end),
    say("new", fun() -> ?P:cancel(S, recv, R2) end),
    say("wait", fun() -> ?P:recv(S, 0, [], R1) end),
    ?P:send(C, <<"abc">>, [], handle(x)),
    say("message", fun() -> message() end),
    say("sent", fun() -> ?P:cancel(S, recv, R1) end),
    say("state", fun() -> state(S) end),
    say("read", fun() -> ?P:recv(S, 0, [], R1) end),
    A = other(),
    say("a", fun() -> in(A, fun() -> ?P:recv(S, 0, [], handle(a1)) end) end),
    say("we", fun() -> ?P:recv(S, 0, [], R1) end),
    say("of the queue", fun() -> ?P:cancel(S, recv, R1) end),
    say("we", fun() -> ?P:recv(S, 0, [], R1) end),
    say("not ours", fun() -> in(A, fun() -> ?P:cancel(S, recv, R1) end) end),
    say("the current one", fun() -> in(A, fun() -> [H] = [K || {K, a1} <- get()], ?P:cancel(S, recv, H) end) end),
    ?P:send(C, <<"abc">>, [], handle(x)),
    say("now we", fun() -> message() end),
    say("bad", fun() -> ?P:cancel(S, foo, R1) end),
    say("bad", fun() -> ?P:cancel(S, recv, foo) end),
    say("bad", fun() -> ?P:cancel(foo, recv, R1) end),
    A ! stop,
    close(C), close(S);

test(acceptors) ->
    {L, Address} = listener(),
    A = other(),
    R1 = handle(r1), R2 = handle(r2),
    say("first", fun() -> ?P:accept(L, R1) end),
    say("again", fun() -> ?P:accept(L, R2) end),
    say("newer handle", fun() -> ?P:cancel(L, accept, R2) end),
    say("first handle", fun() -> ?P:cancel(L, accept, R1) end),
    say("state", fun() -> state(L) end),
    say("first", fun() -> ?P:accept(L, R1) end),
    say("second", fun() -> in(A, fun() -> ?P:accept(L, handle(a1)) end) end),
    say("twice", fun() -> in(A, fun() -> ?P:accept(L, handle(a2)) end) end),
    say("state", fun() -> state(L) end),
    say("reading", fun() -> ?P:recv(L, 0, [], handle(x)) end),
    {ok, C1} = ?P:open(inet, stream, tcp, #{}),
    ok = socket:connect({'$socket', C1}, Address),
    say("message", fun() -> message() end),
    say("accepted", fun() -> {ok, S} = ?P:accept(L, R2), close(S) end),
    say("not yet", fun() -> in(A, fun() -> messages(30) end) end),
    {ok, C2} = ?P:open(inet, stream, tcp, #{}),
    ok = socket:connect({'$socket', C2}, Address),
    say("message", fun() -> in(A, fun() -> message() end) end),
    say("accepted", fun() -> in(A, fun() -> {ok, S} = ?P:accept(L, handle(a3)), {ok, Owner} = ?P:getopt(S, {otp, controlling_process}),
                                            {Owner =:= self(), close(S)} end) end),
    say("state", fun() -> state(L) end),
    say("counters", fun() -> maps:with([acc_success, acc_fails], maps:get(counters, ?P:info(L))) end),
    A ! stop,
    close(C1), close(C2), close(L);

test(writers) ->
    {C, S} = pair(),
    A = other(),
    Big = binary:copy(<<"x">>, 8000000),
    say("part", fun() -> {select, Rest, _} = ?P:send(C, Big, [], handle(w1)), byte_size(Rest) < byte_size(Big) end),
    say("full", fun() -> element(1, ?P:send(C, Big, [], handle(w2))) end),
    say("another", fun() -> in(A, fun() -> ?P:send(C, <<"y">>, [], handle(a1)) end) end),
    say("twice", fun() -> in(A, fun() -> ?P:send(C, <<"y">>, [], handle(a2)) end) end),
    say("state", fun() -> state(C) end),
    Reader = other(),
    Reader ! {run, fun() -> drain(S, 0) end},
    say("message", fun() -> message() end),
    say("goes on", fun() -> ?P:send(C, <<"end">>, [], handle(w3)) end),
    say("the other", fun() -> in(A, fun() -> message() end) end),
    say("sends", fun() -> in(A, fun() -> ?P:send(C, <<"y">>, [], handle(a3)) end) end),
    say("state", fun() -> state(C) end),
    close(C),
    receive {Reader, N} -> io:format("~p~n", [N > 100000]) end,
    A ! stop, Reader ! stop,
    close(S);

test(connecting) ->
    {L, Address} = listener(),
    {ok, C} = ?P:open(inet, stream, tcp, #{}),
    say("not yet", fun() -> ?P:connect(C) end),
    say("bad handle", fun() -> ?P:connect(C, foo, Address) end),
    say("bad address", fun() -> ?P:connect(C, make_ref(), Address#{port => x}) end),
    say("other family", fun() -> ?P:connect(C, make_ref(), #{family => local, path => "/nonexistent"}) end),
    say("connects", fun() -> socket:connect({'$socket', C}, Address) end),
    say("done", fun() -> ?P:connect(C) end),
    say("again", fun() -> ?P:connect(C, make_ref(), Address) end),
    {ok, R} = ?P:open(inet, stream, tcp, #{}),
    {Dead, Nobody} = listener(),
    close(Dead),
    say("refused", fun() -> socket:connect({'$socket', R}, Nobody) end),
    say("state", fun() -> maps:get(rstates, state(R)) end),
    say("listener connects", fun() -> ?P:connect(L, make_ref(), Address) end),
    say("idle reads", fun() -> {ok, I} = ?P:open(inet, stream, tcp, #{}), Result = ?P:recv(I, 0, [], make_ref()), close(I), Result end),
    say("idle writes", fun() -> {ok, I} = ?P:open(inet, stream, tcp, #{}), Result = ?P:send(I, <<"a">>, [], make_ref()), close(I), Result end),
    close(R), close(C), close(L);

test(closing) ->
    {C, S} = pair(),
    say("close", fun() -> ?P:close(S) end),
    say("twice", fun() -> ?P:close(S) end),
    say("state", fun() -> state(S) end),
    say("finalize", fun() -> ?P:finalize_close(S) end),
    say("twice", fun() -> ?P:finalize_close(S) end),
    say("state", fun() -> maps:with([rstates, wstates, owner, domain, type, protocol, ctype], ?P:info(S)) end),
    [say(io_lib:format("~w", [Name]), F)
     || {Name, F} <- [{bind, fun() -> ?P:bind(S, #{family => inet}) end},
                      {connect, fun() -> ?P:connect(S) end},
                      {connect, fun() -> ?P:connect(S, make_ref(), #{family => inet}) end},
                      {listen, fun() -> ?P:listen(S, 1) end},
                      {accept, fun() -> ?P:accept(S, make_ref()) end},
                      {send, fun() -> ?P:send(S, <<"a">>, [], make_ref()) end},
                      {sendto, fun() -> ?P:sendto(S, <<"a">>, #{family => inet}, [], make_ref()) end},
                      {sendmsg, fun() -> ?P:sendmsg(S, #{iov => []}, [], make_ref(), []) end},
                      {recv, fun() -> ?P:recv(S, 0, [], make_ref()) end},
                      {recvfrom, fun() -> ?P:recvfrom(S, 0, [], make_ref()) end},
                      {recvmsg, fun() -> ?P:recvmsg(S, 0, 0, [], make_ref()) end},
                      {shutdown, fun() -> ?P:shutdown(S, read) end},
                      {sockname, fun() -> ?P:sockname(S) end},
                      {peername, fun() -> ?P:peername(S) end},
                      {getopt, fun() -> ?P:getopt(S, {socket, reuseaddr}) end},
                      {getopt, fun() -> ?P:getopt(S, {otp, meta}) end},
                      {setopt, fun() -> ?P:setopt(S, {socket, reuseaddr}, true) end},
                      {setopt, fun() -> ?P:setopt(S, {otp, meta}, x) end},
                      {ioctl, fun() -> ?P:ioctl(S, gifconf) end},
                      {cancel, fun() -> ?P:cancel(S, recv, make_ref()) end},
                      {close, fun() -> ?P:close(S) end},
                      {socket_close, fun() -> socket:close({'$socket', S}) end}]],
    say("open finalized", fun() -> ?P:finalize_close(C) end),
    say("the other side", fun() -> socket:recv({'$socket', C}, 0) end),
    close(C);

test(closing_while_others_wait) ->
    {C, S} = pair(),
    {L, _} = listener(),
    A = other(), B = other(),
    Big = binary:copy(<<"x">>, 8000000),
    [in(X, fun() -> ?P:recv(S, 0, [], handle(read)) end) || X <- [A, B]],
    [in(X, fun() -> ?P:accept(L, handle(accept)) end) || X <- [A, B]],
    [in(X, fun() -> element(1, ?P:send(S, Big, [], handle(write))) end) || X <- [A, B]],
    say("state", fun() -> state(S) end),
    say("close", fun() -> {?P:close(S), ?P:close(L)} end),
    say("state", fun() -> state(S) end),
    [say("told", fun() -> in(X, fun() -> [message(), message(), message()] end) end) || X <- [A, B]],
    say("closed", fun() -> {?P:finalize_close(S), ?P:finalize_close(L)} end),
    say("we", fun() -> messages(20) end),
    A ! stop, B ! stop,
    close(C);

test(owner_killed) ->
    A = other(),
    {C, S} = pair(),
    {L, _} = listener(),
    [ok = ?P:setopt(X, {otp, controlling_process}, A) || X <- [S, L]],
    say("wait", fun() -> {?P:recv(S, 0, [], handle(read)), ?P:accept(L, handle(accept))} end),
    exit(A, kill),
    say("told", fun() -> lists:sort([message(), message()]) end),
    say("closed", fun() -> wait_for(fun() -> maps:get(owner, ?P:info(S)) =:= undefined end) end),
    say("closed", fun() -> {?P:recv(S, 0, [], make_ref()), ?P:finalize_close(S), state(L)} end),
    close(C);

test(waiting_process_killed) ->
    {C, S} = pair(),
    A = other(), B = other(),
    in(A, fun() -> ?P:recv(S, 0, [], handle(a)) end),
    in(B, fun() -> ?P:recv(S, 0, [], handle(b)) end),
    exit(A, kill),
    wait_for(fun() -> maps:get(num_readers, ?P:info(S)) =:= 1 end),
    ?P:send(C, <<"abc">>, [], make_ref()),
    say("the next", fun() -> in(B, fun() -> {message(), ?P:recv(S, 0, [], make_ref())} end) end),
    B ! stop,
    close(C), close(S);

test(given_away) ->
    {C, S} = pair(),
    A = other(),
    say("not the owner", fun() -> in(A, fun() -> ?P:setopt(S, {otp, controlling_process}, self()) end) end),
    say("given", fun() -> ?P:setopt(S, {otp, controlling_process}, A) end),
    say("no more", fun() -> ?P:setopt(S, {otp, controlling_process}, self()) end),
    say("wait", fun() -> ?P:recv(S, 0, [], handle(read)) end),
    exit(A, kill),
    say("told", fun() -> message() end),
    close(C);

test(given_to_dead) ->
    {C, S} = pair(),
    {Dead, Monitor} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    say("given", fun() -> ?P:setopt(S, {otp, controlling_process}, Dead) end),
    say("closed", fun() -> wait_for(fun() -> ?P:sockname(S) =:= {error, closed} end) end),
    close(C);

test(dropped) ->
    %% Nobody refers to them any more, but their owner lives.
    {L, Address} = listener(),
    drop(Address, 50),
    erlang:garbage_collect(),
    say("accepted", fun() -> [begin {ok, S} = socket:accept({'$socket', L}), socket:close(S) end || _ <- lists:seq(1, 50)], ok end),
    close(L);

test(many_readers) ->
    {C, S} = pair(),
    Me = self(),
    N = 200,
    Pids = [spawn_link(fun() ->
                               Me ! {self(), waits},
                               {ok, <<Byte>>} = socket:recv({'$socket', S}, 1),
                               Me ! {self(), Byte}
                       end) || _ <- lists:seq(1, N)],
    [receive {Pid, waits} -> ok end || Pid <- Pids],
    wait_for(fun() -> maps:get(num_readers, ?P:info(S)) =:= N end),
    ok = socket:send({'$socket', C}, << <<(I rem 256)>> || I <- lists:seq(1, N) >>),
    say("all bytes", fun() -> lists:sum([receive {Pid, Byte} when is_integer(Byte) -> Byte end || Pid <- Pids]) end),
    say("state", fun() -> state(S) end),
    close(C), close(S);

test(registry) ->
    Before = socket:number_of(),
    {ok, S} = socket:open(inet, stream, tcp),
    {ok, U} = socket:open(inet, dgram, udp, #{use_registry => false}),
    say("one more", fun() -> socket:number_of() - Before end),
    say("known", fun() -> {lists:member(S, socket:which_sockets()), lists:member(U, socket:which_sockets())} end),
    say("by kind", fun() -> {lists:member(S, socket:which_sockets(tcp)), lists:member(S, socket:which_sockets(udp)),
                             lists:member(S, socket:which_sockets(self()))} end),
    say("added", fun() -> {socket:setopt(U, {otp, use_registry}, true), socket:getopt(U, {otp, use_registry})} end),
    say("known", fun() -> lists:member(U, socket:which_sockets()) end),
    socket:close(S), socket:close(U),
    say("no more", fun() -> socket:number_of() - Before end);

test(monitors) ->
    {ok, S} = socket:open(inet, stream, tcp),
    M1 = socket:monitor(S),
    M2 = socket:monitor(S),
    say("cancelled", fun() -> {socket:cancel_monitor(M2), socket:cancel_monitor(M2)} end),
    socket:close(S),
    say("down", fun() -> receive {'DOWN', M1, socket, S, Info} -> Info after 2000 -> nothing end end),
    M3 = socket:monitor(S),
    say("down", fun() -> receive {'DOWN', M3, socket, S, Info} -> Info after 2000 -> nothing end end),
    say("bad", fun() -> socket:monitor(foo) end).

drop(_, 0) -> ok;
drop(Address, N) ->
    {ok, C} = ?P:open(inet, stream, tcp, #{use_registry => false}),
    ok = socket:connect({'$socket', C}, Address),
    drop(Address, N - 1).

drain(S, N) ->
    case socket:recv({'$socket', S}, 0) of
        {ok, Bytes} -> drain(S, N + byte_size(Bytes));
        {error, _} -> N
    end.

wait_for(F) -> wait_for(F, 500).
wait_for(_, 0) -> never;
wait_for(F, N) ->
    case F() of
        true -> ok;
        false -> receive after 10 -> wait_for(F, N - 1) end
    end.
