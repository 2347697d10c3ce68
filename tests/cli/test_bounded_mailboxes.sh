# Bounded mailboxes (docs/bounded-mailboxes.md): each policy, whom none holds up, who waits for room, wrong options; in
# every tier, under --gc-stress and with seeds the same.
source "$(dirname "$0")/check.sh"

program bounded <<'P'
-module(bounded).
-export([main/1, idle/0, init/1, handle_cast/2, handle_call/3]).

main([]) ->
    [io:format("~s: ~0p~n", [Name, F()]) || {Name, F} <- cases()].

cases() ->
    [{"the sender waits", fun sender_waits/0},
     {"the sender gets an error", fun error_for_sender/0},
     {"the newest is dropped", fun() -> dropped(drop_newest, [a, b, c, d]) end},
     {"the oldest is dropped", fun() -> dropped(drop_oldest, [a, b, c, d]) end},
     {"the receiver dies", fun receiver_dies/0},
     {"answers and 'DOWN' come in", fun answers/0},
     {"exit signals come in", fun exits/0},
     {"a gen_server, casts unchanged", fun casts/0},
     {"a gen_server, calls unchanged", fun calls/0},
     {"the receiver of waiting senders ends", fun receiver_ends/0},
     {"a waiting sender is killed", fun sender_killed/0},
     {"nosuspend", fun nosuspend/0},
     {"to itself", fun to_itself/0},
     {"by name, traced", fun traced/0},
     {"timers come in", fun timers/0},
     {"wrong options", fun wrong/0},
     {"others", fun() -> [whitebeam:mailbox(self()), whitebeam:mailbox(dead()), catch_class(fun() -> whitebeam:mailbox(a) end)] end}].

catch_class(F) -> try F() catch C:R -> {C, R} end.
dead() -> {P, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> P end.
bounded(Limit, F) -> spawn_opt(F, [{whitebeam, [{mailbox, Limit}]}]).
bounded(Limit, Policy, F) -> bounded(#{limit => Limit, when_full => Policy}, F).
idle() -> receive go -> ok end.
end_of(P) -> M = monitor(process, P), receive {'DOWN', M, _, _, _} -> over end.
status(P, S) -> case process_info(P, status) of {status, S} -> S; _ -> erlang:yield(), status(P, S) end.
queued(P) -> maps:with([queued, waiting, dropped], whitebeam:mailbox(P)).
messages(P) -> element(2, process_info(P, messages)).

sender_waits() ->
    P = bounded(10, fun idle/0),
    S = spawn(fun() -> [P ! {N, x} || N <- lists:seq(1, 2000)] end),
    suspended = status(S, suspended),
    Full = queued(P),
    exit(P, kill),
    {Full, end_of(S), streamed()}.
%% A slow receiver of fast senders holds no more than its limit, and gets all of them in order.
streamed() ->
    Me = self(),
    P = bounded(10, fun() -> Me ! {self(), sum(0, 1, 2000)} end),
    spawn(fun() -> [P ! {N, x} || N <- lists:seq(1, 2000)] end),
    most(P, 0) =< 10.
most(P, Most) ->
    receive {P, S} -> 2001000 = S, Most
    after 0 -> case whitebeam:mailbox(P) of #{queued := Q} -> most(P, max(Q, Most)); undefined -> most(P, Most) end
    end.
sum(S, N, Last) when N > Last -> S;
sum(S, N, Last) -> receive {N, x} -> sum(S + N, N + 1, Last) end.

error_for_sender() ->
    P = bounded(2, error, fun idle/0),
    P ! a, P ! b,
    R = [catch_class(fun() -> P ! c end), catch_class(fun() -> erlang:send(P, c) end), gen_server:cast(P, c)],
    [{error, {mailbox_full, P}}, {error, {mailbox_full, P}}, ok] = R,
    {messages(P), queued(P)}.

dropped(Policy, Messages) ->
    P = bounded(2, Policy, fun idle/0),
    [P ! M || M <- Messages],
    One = {messages(P), queued(P)},
    [P ! M || M <- [e, f, g]],
    {One, messages(P), queued(P)}.

receiver_dies() ->
    {P, M} = spawn_opt(?MODULE, idle, [], [monitor, {whitebeam, [{mailbox, #{limit => 3, when_full => kill}}]}]),
    [P ! X || X <- [a, b, c, d]],
    receive {'DOWN', M, process, P, R} -> {R, whitebeam:mailbox(P)} end.

%% Its queue is full of others, and it waits for an answer.
answers() ->
    Me = self(),
    Server = spawn(fun() -> receive {Alias, go} -> Alias ! {Alias, answer} end, receive stop -> ok end end),
    P = bounded(1, fun() -> receive begin_ -> ok end,
                            M = monitor(process, Server, [{alias, reply_demonitor}]),
                            N = monitor(process, Server),
                            Server ! {M, go}, receive {M, A} -> Me ! {self(), A} end,
                            Server ! stop, receive {'DOWN', N, _, _, R} -> Me ! {self(), R} end end),
    P ! begin_, P ! full,
    [receive {P, X} -> X end || _ <- [1, 2]].

exits() ->
    Me = self(),
    P = bounded(1, fun() -> process_flag(trap_exit, true), Me ! {self(), traps}, idle() end),
    receive {P, traps} -> P ! full end,
    exit(P, x), exit(P, y), exit(P, z),
    R = length(messages(P)),
    exit(P, kill), {R, end_of(P)}.

init(_) -> {ok, 0}.
handle_cast({add, N}, S) -> {noreply, S + N}.
handle_call(get, _, S) -> {reply, S, S};
handle_call({add, N}, _, S) -> {reply, S + N, S + N}.
server(Limit) ->
    {ok, P} = gen_server:start(?MODULE, [], [{spawn_opt, [{whitebeam, [{mailbox, Limit}]}]}]), P.

casts() ->
    P = server(5), Me = self(),
    [spawn(fun() -> [gen_server:cast(P, {add, 1}) || _ <- lists:seq(1, 100)], Me ! done end) || _ <- lists:seq(1, 20)],
    Most = most_of_many(P, 0, 20),
    {gen_server:call(P, get), Most =< 5}.
calls() ->
    P = server(2), Me = self(),
    [spawn(fun() -> [gen_server:call(P, {add, 1}) || _ <- lists:seq(1, 50)], Me ! done end) || _ <- lists:seq(1, 20)],
    Most = most_of_many(P, 0, 20),
    {gen_server:call(P, get), Most =< 2}.
most_of_many(_, Most, 0) -> Most;
most_of_many(P, Most, N) ->
    #{queued := Q} = whitebeam:mailbox(P),
    receive done -> most_of_many(P, max(Q, Most), N - 1) after 0 -> most_of_many(P, max(Q, Most), N) end.

receiver_ends() ->
    P = bounded(1, fun idle/0), P ! full,
    Senders = [spawn_monitor(fun() -> P ! more, exit(sent) end) || _ <- [1, 2, 3]],
    Waiting = [status(S, suspended) || {S, _} <- Senders],
    exit(P, kill),
    {Waiting, [receive {'DOWN', M, _, _, R} -> R end || {_, M} <- Senders], P ! late}  =:= {Waiting, [sent, sent, sent], late}.

sender_killed() ->
    P = bounded(1, fun() -> idle(), receive X -> exit({got, X}) end end), P ! full,
    S = spawn(fun() -> P ! never end), suspended = status(S, suspended),
    exit(S, kill), over = end_of(S),
    W = spawn(fun() -> P ! go end), suspended = status(W, suspended),
    {queued(P), exit(P, kill), end_of(W)}.

nosuspend() ->
    P = bounded(1, fun idle/0), P ! full,
    R = [erlang:send(P, x, [nosuspend]), erlang:send_nosuspend(P, x), erlang:send(P, x, [nosuspend, noconnect])],
    {R, messages(P)}.

to_itself() ->
    Me = self(),
    P = bounded(2, fun() -> [self() ! N || N <- [1, 2, 3, 4]], Me ! {self(), [receive N -> N end || N <- [1, 2, 3, 4]]} end),
    receive {P, R} -> R end.

traced() ->
    P = bounded(1, drop_newest, fun idle/0), register(full_one, P),
    erlang:trace(self(), true, [send, {tracer, T = spawn(fun() -> collect([]) end)}]),
    full_one ! a, full_one ! b, P ! c, {full_one, node()} ! d,
    erlang:trace(self(), false, [send]),
    Ref = erlang:trace_delivered(self()), receive {trace_delivered, _, Ref} -> ok end,
    T ! {self(), T}, receive {T, Sent} -> {[M || {send, M, To} <- Sent, To =:= P], messages(P)} end.
collect(L) ->
    receive {trace, _, send, M, To} -> collect([{send, M, To} | L]);
            {From, T} -> From ! {T, lists:reverse(L)} end.

timers() ->
    P = bounded(1, fun idle/0), P ! full,
    [erlang:send_after(0, P, N) || N <- [1, 2, 3]],
    many(P, 4).
many(P, N) -> case length(messages(P)) of N -> queued(P); _ -> timer:sleep(1), many(P, N) end.

wrong() ->
    [catch_class(fun() -> is_pid(spawn_opt(?MODULE, idle, [], [O])) end) =:= {error, badarg} ||
        O <- [{whitebeam, x}, {whitebeam, [x]}, {whitebeam, [{mailbox, 0}]}, {whitebeam, [{mailbox, -1}]}, {whitebeam, [{mailbox, 1.0}]},
              {whitebeam, [{mailbox, 1 bsl 70}]}, {whitebeam, [{mailbox, #{}}]}, {whitebeam, [{mailbox, #{limit => 3, when_full => x}}]},
              {whitebeam, [{mailbox, 1} | x]}, {whitebeam, [{group, 1}]}]].
P
erlc -o "$scratch" "$scratch/bounded.erl" || exit 1
cat >"$scratch/wanted" <<'W'
the sender waits: {#{dropped => 0,queued => 10,waiting => 1},over,true}
the sender gets an error: {[a,b],#{dropped => 0,queued => 2,waiting => 0}}
the newest is dropped: {{[a,b],#{dropped => 2,queued => 2,waiting => 0}},[a,b],#{dropped => 5,queued => 2,waiting => 0}}
the oldest is dropped: {{[c,d],#{dropped => 2,queued => 2,waiting => 0}},[f,g],#{dropped => 5,queued => 2,waiting => 0}}
the receiver dies: {mailbox_full,undefined}
answers and 'DOWN' come in: [answer,normal]
exit signals come in: {4,over}
a gen_server, casts unchanged: {2000,true}
a gen_server, calls unchanged: {1000,true}
the receiver of waiting senders ends: true
a waiting sender is killed: {#{dropped => 0,queued => 1,waiting => 2},true,over}
nosuspend: {[nosuspend,false,nosuspend],[full]}
to itself: [1,2,3,4]
by name, traced: {[a],[a]}
timers come in: #{dropped => 0,queued => 4,waiting => 0}
wrong options: [true,true,true,true,true,true,true,true,true,true]
others: [unbounded,undefined,{error,badarg}]
W
for way in "" "--jit off" "--jit always" "--gc-stress" "--seed 1" "--seed 2" "--seed 3"; do
  # shellcheck disable=SC2086
  timeout 100 "$WHITEBEAM" run $way -pa "$scratch" "$scratch/bounded.beam" main >"$scratch/got" 2>&1
  diff "$scratch/wanted" "$scratch/got" >"$scratch/differs" && continue
  echo "FAILED: ${way:-plain}"
  head -20 "$scratch/differs"
  failures=$((failures + 1))
done
finish
