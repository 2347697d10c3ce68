%% Many servers under supervisors, killed at random while clients keep asking (a short cut of the
%% ten-minute run): all questions are answered, nobody is forgotten.
%% skip gc-stress: gen_servers and supervisors cover it
-module(service_storm).
-export([main/1, init/1, handle_call/3, handle_cast/2, start_server/1]).

main(["forever"]) -> run(1000, 60_000_000);
main(_Args) -> run(100, 20).

run(Servers, Rounds) ->
    process_flag(trap_exit, true),
    ets:new(counts, [named_table, public]),
    {ok, Top} = supervisor:start_link(?MODULE, {top, Servers}),
    Seed = rand:seed_s(exsss, 1),
    Asked = rounds(Rounds, Servers, Seed, 0),
    Total = lists:sum([N || {_, N} <- ets:tab2list(counts)]),
    io:format("asked ~b, counted ~b~n", [Asked, Total]),
    io:format("alive: ~b of ~b~n", [length([I || I <- lists:seq(1, Servers), is_pid(await(I))]), Servers]),
    exit(Top, shutdown),
    receive {'EXIT', Top, Reason} -> io:format("stopped: ~p~n", [Reason]) end.

rounds(0, _, _, Asked) -> Asked;
rounds(N, Servers, Seed0, Asked) ->
    {Victim, Seed1} = rand:uniform_s(Servers, Seed0),
    {First, Seed} = rand:uniform_s(Servers, Seed1),
    exit(await(Victim), kill),
    Ids = [1 + (First + I) rem Servers || I <- lists:seq(1, 50)],
    Main = self(),
    Refs = [element(2, spawn_monitor(fun() -> ask(Id), Main ! answered end)) || Id <- Ids],
    [receive {'DOWN', R, _, _, normal} -> ok end || R <- Refs],
    [receive answered -> ok end || _ <- Ids],
    rounds(N - 1, Servers, Seed, Asked + length(Ids)).

%% Asks until a server answers: the question itself is counted once, by the server.
ask(Id) ->
    try gen_server:call(name(Id), ask)
    catch exit:_ -> receive after 1 -> ask(Id) end
    end.

await(Id) -> case whereis(name(Id)) of P when is_pid(P) -> P; _ -> receive after 1 -> await(Id) end end.
name(Id) -> list_to_atom("server_" ++ integer_to_list(Id)).

init({top, Servers}) ->
    Groups = [#{id => G, type => supervisor, start => {supervisor, start_link, [?MODULE, {group, G, Servers}]}} || G <- lists:seq(0, 9)],
    {ok, {#{strategy => one_for_one, intensity => 1000000, period => 1}, Groups}};
init({group, G, Servers}) ->
    Children = [#{id => Id, start => {?MODULE, start_server, [Id]}} || Id <- lists:seq(1, Servers), Id rem 10 =:= G],
    {ok, {#{strategy => one_for_one, intensity => 1000000, period => 1}, Children}};
init({server, Id}) -> {ok, Id}.

start_server(Id) -> gen_server:start_link({local, name(Id)}, ?MODULE, {server, Id}, []).

handle_call(ask, _, Id) -> {reply, ets:update_counter(counts, Id, 1, {Id, 0}), Id}.
handle_cast(_, Id) -> {noreply, Id}.
