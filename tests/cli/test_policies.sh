# Policies of processes (docs/policies-and-groups.md): what each promises, also under --gc-stress, in every tier and with
# seeds; --policy.
source "$(dirname "$0")/check.sh"

program policies <<'P'
-module(policies).
-export([main/1, order/1, init/1, handle_call/3]).

main([]) ->
    [io:format("~s: ~0p~n", [Name, F()]) || {Name, F} <- cases()].

cases() ->
    [{"what they are", fun names/0},
     {"periodic: together", fun together/0},
     {"periodic: not before", fun not_before/0},
     {"periodic: a gen_server", fun server/0},
     {"periodic: it ends", fun periodic_ends/0},
     {"dedicated: one scheduler each", fun own_scheduler/0},
     {"dedicated: works as any", fun dedicated_works/0},
     {"oldest first: all arrive", fun all_arrive/0},
     {"oldest first: calls", fun oldest_calls/0},
     {"oldest first: selective", fun selective/0},
     {"several at once", fun several/0}].

with(P, F) -> spawn_opt(F, [{whitebeam, [{policy, P}]}]).
end_of(P) -> M = monitor(process, P), receive {'DOWN', M, _, _, R} -> R end.
kill(P) -> M = monitor(process, P), exit(P, kill), receive {'DOWN', M, _, _, R} -> R end.
now_ms() -> erlang:monotonic_time(millisecond).

names() ->
    L = [default, dedicated, {periodic, 5}, {oldest_first, 3}],
    Ps = [with(P, fun() -> receive stop -> ok end end) || P <- L],
    R = [whitebeam:policy(P) || P <- Ps],
    [P ! stop || P <- Ps], [end_of(P) || P <- Ps],
    R =:= L.

%% Messages that come between two moments are worked on together.
batches(To, N, Batch) ->
    receive X -> batches(To, N + 1, [X | Batch])
    after 0 -> receive Y -> case Batch of [] -> ok; _ -> To ! {batch, lists:reverse(Batch)} end, batches(To, N + 1, [Y]) end
    end.
together() ->
    Me = self(),
    P = with({periodic, 200}, fun() -> batches(Me, 0, []) end),
    timer:sleep(20),
    [begin P ! N, erlang:yield() end || N <- lists:seq(1, 100)],
    timer:sleep(450),
    P ! last, timer:sleep(250), P ! more,
    Bs = collect(100, []),
    kill(P),
    %% the first may be alone: it comes when the process has waited long
    length(Bs) =< 3 orelse Bs.
collect(0, Bs) -> Bs;
collect(N, Bs) -> receive {batch, B} -> collect(max(N - length(B), 0), [B | Bs]) end.

not_before() ->
    Me = self(),
    P = with({periodic, 100}, fun F() -> receive X -> Me ! {X, now_ms()}, F() end end),
    T = [begin P ! N, receive {N, At} -> At end end || N <- lists:seq(1, 5)],
    kill(P),
    %% the first at once, the others each at a moment of its own
    lists:last(T) - hd(T) >= 200 orelse T.

init(S) -> {ok, S}.
handle_call(X, _, S) -> {reply, {S, X}, S}.
server() ->
    {ok, P} = gen_server:start(?MODULE, s, [{spawn_opt, [{whitebeam, [{policy, {periodic, 10}}]}]}]),
    R = [gen_server:call(P, N) || N <- [1, 2, 3]],
    gen_server:stop(P), R.

periodic_ends() ->
    P = with({periodic, 20}, fun() -> receive never -> ok after 60000 -> ok end end),
    timer:sleep(5),
    T = with({periodic, 20}, fun() -> receive never -> ok after 30 -> exit(timed_out) end end),
    {end_of(T), kill(P)}.

own_scheduler() ->
    case length([x || _ <- lists:seq(1, 17), is_pid(catch with(dedicated, fun() -> receive stop -> ok end end))]) of
        17 -> seeded_or_16();  % one thread takes the part of all
        16 -> seeded_or_16()
    end.
seeded_or_16() ->
    Mine = [P || P <- processes(), whitebeam:policy(P) =:= dedicated],
    [kill(P) || P <- Mine],
    Again = with(dedicated, fun() -> receive stop -> ok end end),
    R = is_pid(Again), kill(Again),
    {length(Mine) >= 16, R}.

dedicated_works() ->
    Me = self(),
    P = with(dedicated, fun() ->
            S = erlang:system_info(scheduler_id),
            C = spawn(fun() -> Me ! {child, self()}, receive stop -> ok end end),
            L = [begin Me ! {self(), N}, receive {Me, N} -> erlang:system_info(scheduler_id) =:= S end end || N <- lists:seq(1, 100)],
            lists:seq(1, 100000), [garbage_collect() || _ <- [1, 2]],
            Me ! {self(), lists:usort(L), catch process_flag(scheduler, 1)},
            unlink(C), C ! stop end),
    C = receive {child, X} -> X end,
    R = whitebeam:policy(C),
    [receive {P, N} -> P ! {Me, N} end || N <- lists:seq(1, 100)],
    receive {P, Same, {'EXIT', {badarg, _}}} -> {Same, R} end.

all_arrive() ->
    Me = self(),
    Ps = [with({oldest_first, 2}, fun() -> taker(Me, 200) end) || _ <- lists:seq(1, 10)],
    [[P ! {K, N} || P <- Ps] || K <- [1, 2], N <- lists:seq(1, 100)],
    lists:usort([receive {P, L} -> L =:= [{K, N} || K <- [1, 2], N <- lists:seq(1, 100)] end || P <- Ps]).
taker(To, N) -> To ! {self(), [receive X -> X end || _ <- lists:seq(1, N)]}.

oldest_calls() ->
    [{ok, A}, {ok, B}] = [gen_server:start(?MODULE, S, [{spawn_opt, [{whitebeam, [{policy, {oldest_first, 1}}]}]}]) || S <- [a, b]],
    R = [gen_server:call(P, N) || N <- [1, 2], P <- [A, B]],
    gen_server:stop(A), kill(B), R.

selective() ->
    Me = self(),
    F = fun() -> receive {last, X} -> Me ! {self(), X, [receive M -> M end || _ <- [1, 2, 3]]} end end,
    Ps = [with({oldest_first, 1}, F) || _ <- [1, 2, 3]],
    [P ! N || N <- [1, 2, 3], P <- Ps],
    timer:sleep(10),
    [P ! {last, l} || P <- Ps],
    lists:usort([receive {P, l, L} -> L end || P <- Ps]).

several() ->
    G = whitebeam:group(#{reductions => 1000000, messages => 10000}), Me = self(),
    Ps = [spawn_opt(fun() -> taker(Me, 20) end,
                    [{whitebeam, [{policy, P}, {group, G}, {mailbox, 5}]}]) || P <- [default, dedicated, {periodic, 3}, {oldest_first, 2}]],
    [P ! N || N <- lists:seq(1, 20), P <- Ps],
    R = lists:usort([receive {P, L} -> L =:= lists:seq(1, 20) end || P <- Ps]),
    [end_of(P) || P <- Ps],
    {R, maps:get(processes, whitebeam:group_info(G))}.

%% In which order messages to processes with {oldest_first, Bound} are taken, and by how many later ones one is overtaken.
order([Bound, Bursts]) ->
    Me = self(),
    Ps = [with({oldest_first, list_to_integer(Bound)}, fun() -> reporter(Me) end) || _ <- lists:seq(1, 5)],
    timer:sleep(10),
    To = case Bursts of
        "bursts" -> lists:append([lists:duplicate(40, P) || P <- Ps]);
        "turns" -> lists:append(lists:duplicate(40, Ps))
    end,
    lists:foldl(fun(P, N) -> P ! N, N + 1 end, 1, To),
    Order = [receive {took, N} -> N end || _ <- To],
    io:format("~p~n", [overtaken(Order)]).
reporter(To) -> receive N -> To ! {took, N}, reporter(To) end.
%% The most later ones that were taken before one.
overtaken(Order) -> lists:max([length([X || X <- lists:takewhile(fun(Y) -> Y =/= N end, Order), X > N]) || N <- Order]).
P
erlc -o "$scratch" "$scratch/policies.erl" || exit 1
cat >"$scratch/wanted" <<'W'
what they are: true
periodic: together: true
periodic: not before: true
periodic: a gen_server: [{s,1},{s,2},{s,3}]
periodic: it ends: {timed_out,killed}
dedicated: one scheduler each: {true,true}
dedicated: works as any: {[true],default}
oldest first: all arrive: [true]
oldest first: calls: [{a,1},{b,1},{a,2},{b,2}]
oldest first: selective: [[1,2,3]]
several at once: {[true],0}
W
for way in "" "--jit off" "--jit always" "--gc-stress" "--schedulers 1" "--schedulers 4" "--seed 1" "--seed 2" "--seed 3"; do
  # shellcheck disable=SC2086
  timeout 100 "$WHITEBEAM" run $way -pa "$scratch" "$scratch/policies.beam" main >"$scratch/got" 2>&1
  diff "$scratch/wanted" "$scratch/got" >"$scratch/differs" && continue
  echo "FAILED: ${way:-plain}"
  head -20 "$scratch/differs"
  failures=$((failures + 1))
done

# With one scheduler nobody is overtaken Bound times, and with a bound of 1 not at all.
most() { # WAY BOUND LOAD MOST
  local got
  # shellcheck disable=SC2086
  got=$(timeout 60 "$WHITEBEAM" run $1 -pa "$scratch" "$scratch/policies.beam" order "$2" "$3" 2>&1)
  [[ "$got" =~ ^[0-9]+$ ]] && [ "$got" -le "$4" ] && return
  echo "FAILED: $1, {oldest_first, $2}, $3: overtaken $got times, at most $4"
  failures=$((failures + 1))
}
for load in bursts turns; do
  for way in "--schedulers 1" "--schedulers 1 --jit always" "--schedulers 1 --gc-stress"; do
    most "$way" 1 $load 0
    most "$way" 5 $load 4
    most "$way" 50 $load 49
  done
done

# The examples: what each is better for.
example() { "$WHITEBEAM" run "${@:2}" "examples/policies/$1.erl" >"$scratch/$1" 2>&1; }
better() { echo "FAILED: examples/policies/$1.erl"; cat "$scratch/$1"; failures=$((failures + 1)); }
numbers() { grep -oE "$2" "$scratch/$1" | grep -oE '[0-9]+$'; } # NAME PATTERN: the last number of each match
example fair_desks --schedulers 1
read -r usual twenty one <<<"$(numbers fair_desks 'overtaken by [0-9]+' | xargs)"
[ "$usual" -gt 100 ] && [ "$twenty" -lt 20 ] && [ "$one" -eq 0 ] || better fair_desks
example log_writer
read -r usual periodic <<<"$(numbers log_writer 'lines in [0-9]+' | xargs)"
[ "$usual" -gt $((4 * periodic)) ] || better log_writer
example soloist
read -r usual dedicated <<<"$(grep -oE '[0-9]+ rounds' "$scratch/soloist" | grep -oE '[0-9]+' | xargs)"
[ "$dedicated" -gt $((8 * usual)) ] || better soloist
example tenants
grep -q 'greedy: 20 processes waited for their budget some times' "$scratch/tenants" &&
  grep -q 'careless: 4 of 5 processes left, over its budget some times' "$scratch/tenants" || better tenants

# Of a machine.
program quiet <<'P'
-module(quiet).
-export([main/1]).
main(_) ->
    P = spawn(fun() -> receive X -> exit(X) end end), M = monitor(process, P), P ! done,
    io:format("~p ~p ~p~n", [whitebeam:policy(P), whitebeam:policy(self()), receive {'DOWN', M, _, _, R} -> R end]).
P
expect 0 "^.oldest_first,4. default done" "$WHITEBEAM" run --policy oldest_first:4 "$scratch/quiet.erl"
expect 0 "^.periodic,2. default done" "$WHITEBEAM" run --policy periodic:2 "$scratch/quiet.erl"
expect 0 "^default default done" "$WHITEBEAM" run --policy default "$scratch/quiet.erl"
for wrong in x dedicated periodic periodic:0 periodic:x oldest_first:-1 oldest_first:99999999999 periodic:5x :; do
  expect 2 "no policy of a machine" "$WHITEBEAM" run --policy "$wrong" "$scratch/quiet.erl"
done
finish
