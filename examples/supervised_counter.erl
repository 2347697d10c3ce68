%% A supervised counter: let it crash, and lose nothing that matters.
%%
%% The counter is a gen_server that crashes when it is given a word instead of a number. Its
%% supervisor starts it again; the count survives because it lives in an ETS table that the
%% supervisor's process owns. Callers see an exit for the one bad call and go on.
-module(supervised_counter).
-behaviour(supervisor).
-behaviour(gen_server).
-export([main/1, start_counter/1, init/1, handle_call/3, handle_cast/2]).

main(_Args) ->
    {ok, Supervisor} = supervisor:start_link(?MODULE, supervisor),
    io:format("add 1, 2, 3: ~w~n", [[add(N) || N <- [1, 2, 3]]]),
    First = whereis(counter),
    io:format("add a word: ~w~n", [add(word)]),
    io:format("a new process: ~w~n", [await_restart(First) =/= First]),
    io:format("the count went on: ~w~n", [add(4)]),
    [begin Old = whereis(counter), exit(Old, kill), await_restart(Old) end || _ <- lists:seq(1, 5)],
    io:format("after five kills: ~w~n", [add(5)]),
    [{counter, Pid, worker, _}] = supervisor:which_children(Supervisor),
    io:format("still supervised: ~w~n", [Pid =:= whereis(counter)]),
    unlink(Supervisor),
    Ref = monitor(process, Supervisor),
    exit(Supervisor, shutdown),
    receive {'DOWN', Ref, process, _, Reason} -> io:format("stopped: ~w~n", [Reason]) end,
    io:format("and the counter with it: ~w~n", [whereis(counter)]).

add(N) ->
    try gen_server:call(counter, {add, N})
    catch exit:{{Reason, _Stack}, _Call} -> {crashed, Reason}
    end.

await_restart(Old) ->
    case whereis(counter) of
        New when is_pid(New), New =/= Old -> New;
        _ -> receive after 1 -> await_restart(Old) end
    end.

start_counter(Table) -> gen_server:start_link({local, counter}, ?MODULE, {counter, Table}, []).

init(supervisor) ->
    Table = ets:new(counts, [public]),
    ets:insert(Table, {count, 0}),
    Counter = #{id => counter, start => {?MODULE, start_counter, [Table]}},
    {ok, {#{strategy => one_for_one, intensity => 10, period => 10}, [Counter]}};
init({counter, Table}) -> {ok, Table}.

handle_call({add, N}, _From, Table) -> {reply, ets:update_counter(Table, count, N), Table}.

handle_cast(_, Table) -> {noreply, Table}.
