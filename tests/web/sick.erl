%% Many illnesses at once (tests/cli/test_observe_sick.sh has each alone, with a healthy twin): each way from a warning to the
%% view that explains it is there.
-module(sick).
-behaviour(supervisor).
-export([main/0, init/1, start_till/0, till/0, handle_call/3, handle_cast/2]).

main() ->
    logger:set_primary_config(level, none),
    [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 200)],
    [{ok, _} = gen_server:start_link({local, Name}, ?MODULE, server, []) || Name <- [prices, discounts]],
    [gen_server:cast(From, {ask, To}) || {From, To} <- [{prices, discounts}, {discounts, prices}]],
    named(clerk, fun() -> receive never -> ok end end),
    [clerk ! {order, N} || N <- lists:seq(1, 3000)],
    ets:new(goods, [named_table, public]),
    ets:insert(goods, [{N, N rem 7, item} || N <- lists:seq(1, 50000)]),
    named(reports, fun reports/0),
    {ok, _} = supervisor:start_link({local, shop}, ?MODULE, shop),
    named(sessions, fun() -> every(20, fun(N) -> _ = list_to_atom("user_" ++ integer_to_list(N)), N + 1 end, 0) end),
    named(reminders, fun() -> every(20, fun(N) -> [erlang:send_after(3600000, self(), remind) || _ <- lists:seq(1, 10)], N end, 0) end),
    All = lists:seq(1, 50000),
    named(archive, fun archive/0),
    named(exporter, fun() -> every(20, fun(N) -> archive ! {rows, All}, N end, 0) end),
    io:format("ready~n"),
    receive stop -> ok end.

named(Name, F) -> register(Name, spawn_link(F)).
every(Ms, F, S) -> receive after Ms -> every(Ms, F, F(S)) end.
reports() -> [] = ets:match(goods, {'$1', 8, '_'}), reports().
archive() -> receive {rows, _} -> archive() end.

init(shop) -> {ok, {#{intensity => 10000, period => 1}, [#{id => {till, 7}, start => {?MODULE, start_till, []}}]}};
init(server) -> {ok, none}.
start_till() -> {ok, proc_lib:spawn_link(?MODULE, till, [])}.
till() -> timer:sleep(20), {ok, _} = drawer(closed).
drawer(State) -> {error, State}.
handle_call(_, _, S) -> {reply, ok, S}.
handle_cast({ask, Other}, S) -> timer:sleep(50), _ = gen_server:call(Other, price, infinity), {noreply, S}.
