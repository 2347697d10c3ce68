%% A busy machine to look at: many that wait, some that work, one with a full mailbox, one that keeps
%% binaries, one that never rests, some that a supervisor starts again and again.
-module(shop).
-export([main/1, boss/0, clerk/1, tally/1, churn/1, keeper/1, spin/1, init/1, open_till/1, till/1]).

main([Clerks]) ->
    register(boss, spawn_link(?MODULE, boss, [])),
    register(spinner, spawn(?MODULE, spin, [0])),
    {ok, _} = supervisor:start_link({local, tills}, ?MODULE, []),
    ets:new(stock, [named_table, public]),
    ets:insert(stock, [{N, {item, N}} || N <- lists:seq(1, 5000)]),
    ets:new(orders, [named_table, ordered_set, public]),
    [spawn(?MODULE, clerk, [N]) || N <- lists:seq(1, list_to_integer(Clerks))],
    [Churn | _] = [spawn_link(?MODULE, churn, [N]) || N <- lists:seq(1, 20)],
    register(churner, Churn),
    Shops = whitebeam:group(#{name => shops, memory => 1_000_000_000}),
    One = whitebeam:group(#{name => <<"one">>, parent => Shops, reductions => 100_000}),
    Grouped = [{whitebeam, [{group, One}, {policy, {periodic, 50}}, {mailbox, 3}]}],
    register(grouped, spawn_opt(?MODULE, tally, [0], Grouped)),
    io:format("ready~n"),
    receive stop -> ok end.

boss() ->
    Alias = alias(),
    Full = spawn_link(fun() -> put(drawer, [open, "half"]), put(reply_to, Alias), put(large, binary:copy(<<"goods">>, 10000)), receive never -> ok end end),
    register(full_box, Full),
    [Full ! {order, N, <<"a text">>, lists:seq(1, 9)} || N <- lists:seq(1, 1500)],
    register(keeper, spawn_link(?MODULE, keeper, [[]])),
    register(victim, spawn(?MODULE, clerk, [victim])),
    erlang:monitor(process, victim),
    receive stop -> ok end.

keeper(Kept) ->
    receive after 200 ->
        keeper([binary:copy(<<"0123456789">>, 1000 * length(Kept) + 1000) | lists:sublist(Kept, 20)])
    end.

clerk(_) -> receive stop -> ok end.

churn(K) ->
    [Least | _] = lists:sort([erlang:phash2({K, N}) || N <- lists:seq(1, 2000)]),
    ets:insert(orders, {K, Least}),
    Asked = spawn(fun() -> receive {From, X} -> From ! {done, X} end end),
    Asked ! {self(), Least},
    receive {done, _} -> ok end,
    timer:sleep(20),
    churn(K).

%% Spends more than the budget of its group.
tally(N) -> self() ! N, receive M -> lists:sum(lists:seq(1, 1000)), tally(M + 1) end.

spin(N) -> spin(N + 1).

init([]) ->
    {ok, {{one_for_one, 100, 20}, [{N, {?MODULE, open_till, [N]}, permanent, 1000, worker, [?MODULE]} || N <- [1, 2, 3]]}}.

open_till(N) -> {ok, spawn_link(?MODULE, till, [N])}.

till(N) -> receive after 1000 * N -> ok end.
