%% Savina, guided search: workers look for a way through a grid of three dimensions. The first that reaches a node
%% becomes its parent, which an ETS table decides.
-module(savina_astar).
-export([run/0, small/0]).

-define(THRESHOLD, 1_024).

run() -> run(20, 30).
small() -> run(3, 6).

run(Workers, Grid) ->
    Master = self(),
    graph(Grid),
    Parents = ets:new(parents, [public, {write_concurrency, true}]),
    Target = id(Grid * 8 div 10, Grid * 8 div 10, Grid * 8 div 10, Grid),
    Pids = list_to_tuple([spawn_link(fun() -> worker(Grid, Parents, Target, Master) end) || _ <- lists:seq(1, Workers)]),
    Found = master([0], 0, 0, Pids),
    [Pid ! stop || Pid <- tuple_to_list(Pids)],
    savina:gather(stopped, Workers),
    Way = way(Target, Parents),
    ets:delete(Parents),
    {Found, Way}.

id(I, J, K, Grid) -> Grid * Grid * I + Grid * J + K.

%% The neighbours of each node: a constant of the machine.
graph(Grid) ->
    case persistent_term:get({?MODULE, Grid}, none) of
        none ->
            Range = lists:seq(0, Grid - 1),
            {Nodes, _} = lists:mapfoldl(fun(Node, R) -> neighbours(Node, Grid, R) end, rand:seed_s(exsss, 123456),
                                        [{I, J, K} || I <- Range, J <- Range, K <- Range]),
            persistent_term:put({?MODULE, Grid}, list_to_tuple(Nodes));
        _ -> ok
    end.

neighbours({I, J, K}, Grid, R0) ->
    Self = id(I, J, K, Grid),
    lists:foldl(fun({Di, Dj, Dk}, {Found, R1}) ->
                    {Coin, R} = rand:uniform_s(2, R1),
                    Id = id(min(Grid - 1, I + Di), min(Grid - 1, J + Dj), min(Grid - 1, K + Dk), Grid),
                    Wanted = Coin =:= 1 orelse ({Di, Dj, Dk} =:= {1, 1, 0} andalso Found =:= []),
                    case Wanted andalso Id =/= Self andalso not lists:member(Id, Found) of
                        true -> {Found ++ [Id], R};
                        false -> {Found, R}
                    end
                end, {[], R0}, [{0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 0}]).

master([Node | Nodes], Sent, Done, Pids) ->
    element(Sent rem tuple_size(Pids) + 1, Pids) ! {work, Node},
    master(Nodes, Sent + 1, Done, Pids);
master([], Sent, Sent, _) -> not_found;
master([], Sent, Done, Pids) ->
    receive
        {work, Node} -> master([Node], Sent, Done, Pids);
        received -> master([], Sent, Done + 1, Pids);
        done -> found
    end.

worker(Grid, Parents, Target, Master) ->
    receive
        {work, Node} ->
            search(queue:from_list([Node]), ?THRESHOLD, persistent_term:get({?MODULE, Grid}), Parents, Target, Master),
            Master ! received,
            worker(Grid, Parents, Target, Master);
        stop ->
            Master ! {stopped, ok}
    end.

search(Queue, 0, _, _, _, Master) -> [Master ! {work, Node} || Node <- queue:to_list(Queue)], ok;
search(Queue, N, Graph, Parents, Target, Master) ->
    case queue:out(Queue) of
        {empty, _} -> ok;
        {{value, Node}, Rest} ->
            savina:busy_wait(100),
            case visit(element(Node + 1, Graph), Node, Rest, Parents, Target) of
                done -> Master ! done;
                More -> search(More, N - 1, Graph, Parents, Target, Master)
            end
    end.

visit([], _, Queue, _, _) -> Queue;
visit([Neighbour | Others], Node, Queue, Parents, Target) ->
    case ets:insert_new(Parents, {Neighbour, Node}) of
        true when Neighbour =:= Target -> done;
        true -> visit(Others, Node, queue:in(Neighbour, Queue), Parents, Target);
        false -> visit(Others, Node, Queue, Parents, Target)
    end.

%% Whether parents lead from there to the origin.
way(0, _) -> leads_to_origin;
way(Node, Parents) ->
    case ets:lookup(Parents, Node) of
        [{_, Parent}] -> way(Parent, Parents);
        [] -> {broken, Node}
    end.
