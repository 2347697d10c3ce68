# Groups of processes (docs/policies-and-groups.md): what is counted, who waits, who is killed, who is told, how groups
# stand in each other, wrong options; in every tier, under --gc-stress and with seeds the same.
source "$(dirname "$0")/check.sh"

program groups <<'P'
-module(groups).
-export([main/1, idle/0, spin/0, init/1, handle_call/3, handle_cast/2]).

main([]) ->
    [io:format("~s: ~0p~n", [Name, F()]) || {Name, F} <- cases()].

cases() ->
    [{"a group counts", fun counts/0},
     {"children inherit it", fun inherits/0},
     {"reductions a second", fun reductions/0},
     {"those outside go on", fun outside/0},
     {"who waits can be asked and killed", fun killed_waiting/0},
     {"messages a second", fun messages/0},
     {"nosuspend", fun nosuspend/0},
     {"memory: the largest is killed", fun largest/0},
     {"memory: one after the other", fun one_by_one/0},
     {"memory: all are killed", fun all_killed/0},
     {"memory: somebody is told", fun told/0},
     {"memory: messages count", fun queue_counts/0},
     {"a group below another", fun below/0},
     {"its own groups only", fun own_only/0},
     {"gen_server", fun servers/0},
     {"a group ends", fun ends/0},
     {"many", fun many/0},
     {"wrong options", fun wrong/0},
     {"others", fun others/0}].

%% --- helpers
in(G, F) -> spawn_opt(F, [{whitebeam, [{group, G}]}]).
in_monitored(G, F) -> spawn_opt(F, [monitor, {whitebeam, [{group, G}]}]).
info(G, K) -> maps:get(K, whitebeam:group_info(G)).
until(F) -> case F() of true -> ok; false -> timer:sleep(1), until(F) end.
end_of(P) -> M = monitor(process, P), receive {'DOWN', M, _, _, R} -> R end.
idle() -> receive stop -> ok; {keep, N} -> hold(big(N)) end.
hold(B) -> receive stop -> B; {keep, N} -> hold([B | big(N)]) end.
big(Words) -> binary_to_list(<<0:(Words div 2 * 8)>>).
spin() -> spin().
kill(Ps) -> [exit(P, kill) || P <- Ps], [end_of(P) || P <- Ps], ok.

%% --- counting
counts() ->
    G = whitebeam:group(#{name => shop}),
    #{name := shop, parent := undefined, groups := [], budget := B, processes := 0, memory := 0, reductions := 0, messages := 0,
      waits := 0, exceeded := 0, when_exceeded := undefined} = whitebeam:group_info(G),
    Me = self(),
    P = in(G, fun() -> [Me ! N || N <- [1, 2, 3]], lists:seq(1, 2000), idle() end),
    [receive N -> N end || N <- [1, 2, 3]],
    until(fun() -> process_info(P, status) =:= {status, waiting} andalso info(G, reductions) > 500 end),
    R = {B, info(G, processes), info(G, messages), info(G, memory) > 500, whitebeam:group_of(P) =:= G},
    kill([P]),
    {R, info(G, processes), info(G, memory)}.

inherits() ->
    G = whitebeam:group(#{}), Me = self(),
    P = in(G, fun() -> Me ! {spawn(fun idle/0), spawn_link(fun idle/0), proc_lib:spawn(fun idle/0)}, idle() end),
    {A, B, C} = receive T -> T end,
    R = {[whitebeam:group_of(X) =:= G || X <- [P, A, B, C]], info(G, processes)},
    M = monitor(process, B), kill([P, A, C]),
    {R, receive {'DOWN', M, _, _, X} -> X end, info(G, processes)}.

%% --- a second's worth
reductions() ->
    Rate = 400000,
    G = whitebeam:group(#{reductions => Rate}),
    Ps = [in(G, fun spin/0) || _ <- lists:seq(1, 10)],
    timer:sleep(100),
    {T0, R0} = {erlang:monotonic_time(millisecond), info(G, reductions)},
    timer:sleep(600),
    {R1, T1} = {info(G, reductions), erlang:monotonic_time(millisecond)},
    kill(Ps),
    %% besides what has been saved (a tenth of a second) one slice on each scheduler
    Allowed = Rate * (T1 - T0) div 1000 + Rate div 10 + erlang:system_info(schedulers) * 4300,
    {R1 - R0 =< Allowed orelse {R1 - R0, Allowed}, R1 > 0, info(G, waits) > 0}.

outside() ->
    G = whitebeam:group(#{reductions => 1}),
    P = in(G, fun spin/0),
    until(fun() -> process_info(P, status) =:= {status, suspended} end),
    S = lists:sum(lists:seq(1, 20000)),
    kill([P]), S.

killed_waiting() ->
    G = whitebeam:group(#{reductions => 1}),
    Ps = [in_monitored(G, fun spin/0) || _ <- lists:seq(1, 5)],
    [until(fun() -> process_info(P, status) =:= {status, suspended} end) || {P, _} <- Ps],
    Asked = [process_info(P, current_function) || {P, _} <- Ps],
    [exit(P, kill) || {P, _} <- Ps],
    {[is_tuple(A) || A <- Asked], [receive {'DOWN', M, _, _, R} -> R end || {_, M} <- Ps], info(G, processes)}.

messages() ->
    G = whitebeam:group(#{messages => 200}), Me = self(),
    T0 = erlang:monotonic_time(millisecond),
    [in(G, fun() -> [Me ! {K, N} || N <- lists:seq(1, 30)] end) || K <- [1, 2]],
    Got = [receive {K, _} = M -> M end || K <- [1, 2], _ <- lists:seq(1, 30)],
    Took = erlang:monotonic_time(millisecond) - T0,
    %% 60 messages at 200 a second, of which 20 may be saved
    {Got =:= [{K, N} || K <- [1, 2], N <- lists:seq(1, 30)], Took >= 190 orelse Took, info(G, messages), info(G, waits) > 0}.

nosuspend() ->
    G = whitebeam:group(#{messages => 1}), Me = self(),
    P = in(G, fun() -> Me ! [erlang:send(Me, x, [nosuspend]) || _ <- [1, 2, 3]], idle() end),
    receive x -> ok end,
    until(fun() -> process_info(P, status) =:= {status, suspended} end),
    R = {info(G, messages), info(G, waits)},
    kill([P]), R.

%% --- memory
largest() ->
    G = whitebeam:group(#{memory => 3000000}),
    Small = [in_monitored(G, fun idle/0) || _ <- [1, 2, 3]],
    {P, M} = in_monitored(G, fun idle/0),
    P ! {keep, 300000}, P ! {keep, 300000},
    R = receive {'DOWN', M, _, _, X} -> X end,
    Left = info(G, processes),
    Ends = [begin S ! stop, receive {'DOWN', N, _, _, Y} -> Y end end || {S, N} <- Small],
    {R, Left, info(G, exceeded), Ends}.

one_by_one() ->
    G = whitebeam:group(#{memory => 5000000, when_exceeded => kill_largest}),
    [{A, MA}, {B, MB}, {C, MC}] = [in_monitored(G, fun idle/0) || _ <- [1, 2, 3]],
    A ! {keep, 70000}, B ! {keep, 80000},
    until(fun() -> info(G, memory) > 1000000 end),
    C ! {keep, 800000},
    R = receive {'DOWN', MC, _, _, X} -> X end,
    until(fun() -> info(G, memory) < 5000000 end),
    [P ! stop || P <- [A, B]],
    {R, [receive {'DOWN', M, _, _, Y} -> Y end || M <- [MA, MB]], info(G, exceeded)}.

all_killed() ->
    G = whitebeam:group(#{memory => 1000000, when_exceeded => kill_all}),
    [{P, _} | _] = Ps = [in_monitored(G, fun idle/0) || _ <- [1, 2, 3, 4]],
    P ! {keep, 300000},
    {[receive {'DOWN', M, _, _, R} -> R end || {_, M} <- Ps], info(G, processes), info(G, memory), info(G, exceeded)}.

told() ->
    G = whitebeam:group(#{memory => 1000000, when_exceeded => {notify, self()}}),
    A = in(G, fun idle/0), A ! {keep, 300000},
    One = receive {group_exceeded, G, N} -> N > 1000000 end,
    A ! {keep, 20000}, erlang:yield(),
    kill([A]),
    B = in(G, fun idle/0), B ! {keep, 300000},
    Two = receive {group_exceeded, G, K} -> K > 1000000 end,
    kill([B]),
    {One, Two, info(G, exceeded), receive {group_exceeded, _, _} -> more after 0 -> none end}.

queue_counts() ->
    G = whitebeam:group(#{memory => 1000000}),
    {P, M} = in_monitored(G, fun() -> receive never -> ok end end),
    Big = big(20000),
    [P ! Big || _ <- lists:seq(1, 20)],
    receive {'DOWN', M, _, _, R} -> R end.

%% --- trees
below() ->
    A = whitebeam:group(#{name => a, messages => 1}),
    B = whitebeam:group(#{name => <<"b">>, parent => A}),
    Me = self(),
    P = in(B, fun() -> Me ! {whitebeam:group_of(self()), 1}, Me ! 2, Me ! 3, idle() end),
    receive {B, 1} -> ok end,
    until(fun() -> process_info(P, status) =:= {status, suspended} end),
    R = {info(A, groups) =:= [B], info(B, parent) =:= A, info(B, name), info(A, processes), info(B, processes),
         info(A, messages) =:= info(B, messages), info(A, waits), info(B, waits) },
    kill([P]),
    {R, info(A, processes)}.

own_only() ->
    A = whitebeam:group(#{}), B = whitebeam:group(#{}), Me = self(),
    in(A, fun() ->
        C = whitebeam:group(#{name => c}),
        P = in(C, fun idle/0),
        Me ! {whitebeam:groups() =:= [A, C], maps:get(parent, whitebeam:group_info(C)) =:= A,
              cause(fun() -> in(B, fun idle/0) end), cause(fun() -> whitebeam:group(#{parent => B}) end), kill([P])}
    end),
    receive {Mine, Parent, X, Y, ok} -> {Mine, Parent, X, Y} end.

init(_) -> {ok, 0}.
handle_call(N, _, S) -> {reply, S + N, S + N}.
handle_cast(N, S) -> {noreply, S + N}.
servers() ->
    G = whitebeam:group(#{memory => 5000000, reductions => 1000000, messages => 1000}),
    {ok, P} = gen_server:start(?MODULE, [], [{spawn_opt, [{whitebeam, [{group, G}]}]}]),
    [gen_server:cast(P, 1) || _ <- lists:seq(1, 50)],
    R = {gen_server:call(P, 5), info(G, messages)},
    gen_server:stop(P),
    {R, info(G, processes)}.

ends() ->
    Before = length(whitebeam:groups()),
    spawn_monitor(fun() -> [whitebeam:group(#{}) || _ <- lists:seq(1, 20)], ok end),
    receive {'DOWN', _, _, _, normal} -> ok end,
    until(fun() -> garbage_collect(), length(whitebeam:groups()) =< Before end).

many() ->
    G = whitebeam:group(#{}),
    Gs = [whitebeam:group(#{parent => G}) || _ <- lists:seq(1, 100)],
    Ps = [in(X, fun idle/0) || X <- Gs, _ <- lists:seq(1, 10)],
    N = info(G, processes),
    [P ! stop || P <- Ps], [end_of(P) || P <- Ps],
    until(fun() -> info(G, processes) =:= 0 end),  % leaves its group after it has told who watches it
    {N, info(G, processes), length(info(G, groups)), length(Gs), info(G, memory)}.

%% --- bad input
cause(F) ->
    try F() catch
        error:badarg:S ->
            [{_, _, _, Info} | _] = S,
            #{cause := C} = proplists:get_value(error_info, Info),
            [Text] = maps:values(whitebeam_errors:format_error(badarg, S)),
            true = is_binary(Text),
            C
    end.
deep(G, N) -> deep(whitebeam:group(#{parent => G}), N + 1).
wrong() ->
    G = whitebeam:group(#{}),
    F = fun idle/0,
    garbage_collect(), Before = length(whitebeam:groups()),
    L = [cause(fun() -> whitebeam:group(O) end) ||
            O <- [#{memory => 0}, #{memory => -1}, #{reductions => 0}, #{messages => 1.5}, #{memory => 1 bsl 70}, #{reductions => infinity},
                  #{when_exceeded => kill_all}, #{memory => 1, when_exceeded => x}, #{memory => 1, when_exceeded => {notify, x}},
                  #{parent => x}, #{parent => make_ref()}, #{name => "x"}, #{name => <<0:4000>>}, #{x => 1}, #{<<"memory">> => 1}]]
     ++ [cause(fun() -> spawn_opt(F, [{whitebeam, [O]}]) end) ||
            O <- [{group, x}, {group, make_ref()}, {group, self()}, {x, G}, {policy, x}, {policy, {periodic, 0}}, {policy, {periodic, x}},
                  {policy, {periodic, 100000}}, {policy, {oldest_first, -1}}, {policy, periodic}, {policy, {dedicated, 1}}, {mailbox, 0}]]
     ++ [cause(fun() -> deep(G, 1) end), cause(fun() -> whitebeam:group_info(x) end)],
    garbage_collect(),
    until(fun() -> garbage_collect(), length(whitebeam:groups()) =< Before end),
    [io:format("  ~s~n", [X]) || X <- L],
    [catch whitebeam:group(x), catch whitebeam:group_of(x)] =:= [catch whitebeam:group(x), catch whitebeam:group_of(x)].

others() ->
    {P, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> ok end,
    G = whitebeam:group(#{}), Me = self(),
    in(G, fun() -> Me ! {ref, G} end),
    {whitebeam:group_of(self()), whitebeam:group_of(P), whitebeam:policy(self()), whitebeam:policy(P), is_reference(G),
     receive {ref, X} -> X =:= G end, binary_to_term(term_to_binary(G)) =:= G}.
P
erlc -o "$scratch" "$scratch/groups.erl" || exit 1
cat >"$scratch/wanted" <<'W'
a group counts: {{#{},1,3,true,true},0,0}
children inherit it: {{[true,true,true,true],4},killed,0}
reductions a second: {true,true,true}
those outside go on: 200010000
who waits can be asked and killed: {[true,true,true,true,true],[killed,killed,killed,killed,killed],0}
messages a second: {true,true,60,true}
nosuspend: {1,1}
memory: the largest is killed: {killed,3,1,[normal,normal,normal]}
memory: one after the other: {killed,[normal,normal],1}
memory: all are killed: {[killed,killed,killed,killed],0,0,1}
memory: somebody is told: {true,true,2,none}
memory: messages count: killed
a group below another: {{true,true,<<"b">>,1,1,true,1,1},0}
its own groups only: {true,true,not_below_own_group,not_below_own_group}
gen_server: {{55,2},0}
a group ends: ok
many: {1000,0,100,100,0}
  not_a_budget
  not_a_budget
  not_a_budget
  not_a_budget
  not_a_budget
  not_a_budget
  action_without_memory
  not_an_action
  not_an_action
  not_a_group
  not_a_group
  not_a_group_name
  not_a_group_name
  not_a_group_option
  not_a_group_option
  not_a_group
  not_a_group
  not_a_group
  not_an_own_option
  not_a_policy
  not_a_period
  not_a_period
  not_a_period
  not_a_bound
  not_a_period
  not_a_policy
  not_a_mailbox
  groups_too_deep
  not_a_group
wrong options: true
others: {none,undefined,default,undefined,true,true,true}
W
for way in "" "--jit off" "--jit always" "--gc-stress" "--schedulers 4" "--seed 1" "--seed 2" "--seed 3"; do
  # shellcheck disable=SC2086
  timeout 100 "$WHITEBEAM" run $way -pa "$scratch" "$scratch/groups.beam" main >"$scratch/got" 2>&1
  diff "$scratch/wanted" "$scratch/got" >"$scratch/differs" && continue
  echo "FAILED: ${way:-plain}"
  head -20 "$scratch/differs"
  failures=$((failures + 1))
done

# What shells and crash reports say.
program told <<'P'
-module(told).
-export([main/1]).
main(_) -> try whitebeam:group(#{memory => 0}) catch C:R:S -> io:format("~s~n", [erl_error:format_exception(C, R, S)]) end.
P
expect 0 "argument 1: a budget is a whole number above 0" "$WHITEBEAM" run "$scratch/told.erl"

# The observer: the column and the groups.
program seen <<'P'
-module(seen).
-export([main/1]).
main(_) ->
    A = whitebeam:group(#{name => shops, memory => 1000000}),
    B = whitebeam:group(#{name => <<"one">>, parent => A, reductions => 1000, messages => 50}),
    [spawn_opt(fun() -> receive stop -> ok end end, [{whitebeam, [{group, B}]}]) || _ <- [1, 2]],
    P = spawn_opt(fun() -> receive stop -> ok end end, [{whitebeam, [{group, B}, {policy, {periodic, 7}}, {mailbox, #{limit => 2, when_full => drop_newest}}]}]),
    register(bound, P), [P ! N || N <- [1, 2, 3, 4, 5]],
    io:format("ready~n"), receive stop -> {A, B} end.
P
need python3
observed
machine seen
checks look "$socket" <<'Y'
import sys
from observing import *
observer = Observer(sys.argv[1], timeout=60)
groups = observer.data(do='groups')
a, b = groups['rows']
check('the group', a['name'] == 'shops' and a['processes'] == 3 and a['parent'] == 0 and a['memory'] > 1000 and a['memory_budget'] == 1000000
      and a['reductions_budget'] == 0 and a['when_exceeded'] == 'kill_largest', a)
check('the one below', b['name'] == 'one' and b['processes'] == 3 and b['parent'] == a['number'] and b['reductions_budget'] == 1000
      and b['messages_budget'] == 50 and b['when_exceeded'] == '', b)
rows = observer.data(do='processes', filter=f"group={b['number']}")['rows']
check('its processes', len(rows) == 3 and all(r['group'] == b['number'] for r in rows), rows)
check('time to make rates of', groups['now_ns'] > 0, groups)
p = observer.data(do='process', pid='bound')
check('what it was spawned with', p['policy'] == '{periodic,7}' and p['group'] == b['number'] and p['group_name'] == 'one', p)
check('its mailbox', p['mailbox_bound'] == {'limit': 2, 'held': 2, 'when_full': 'drop_newest', 'dropped': 3, 'senders_waiting': 0}, p.get('mailbox_bound'))
usual = observer.data(do='process', pid=rows[0]['pid'] if rows[0]['pid'] != p['pid'] else rows[1]['pid'])
check('the usual', usual['policy'] == 'default' and 'mailbox_bound' not in usual, usual)
check('others', observer.data(do='processes', filter='group=0')['rows'], 'none')
check('a limit', len(observer.data(do='groups', limit=1)['rows']) == 1, '')
finish()
Y
finish
