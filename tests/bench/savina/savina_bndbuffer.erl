%% Savina, producers and consumers with a bounded buffer: a manager pairs them and holds producers back.
-module(savina_bndbuffer).
-export([run/0, small/0]).

-define(COST, 25).
-record(manager, {room, ready = [], waiting, pending, left, consumers, idle = 0, sum = 0}).

run() -> run(50, 40, 40, 1_000).
small() -> run(5, 4, 3, 2).

run(Buffer, Producers, Consumers, Items) ->
    Manager = self(),
    Cs = [spawn_link(fun() -> consumer(Manager, 0.0) end) || _ <- lists:seq(1, Consumers)],
    [spawn_link(fun() -> producer(Items, Manager, 0.0) end) || _ <- lists:seq(1, Producers)],
    Passed = manage(#manager{room = Buffer - Producers, ready = Cs, waiting = queue:new(), pending = queue:new(),
                             left = Producers, consumers = Consumers, idle = Consumers}),
    [C ! exit || C <- Cs],
    Passed.

manage(#manager{left = 0, idle = All, consumers = All, sum = Passed}) -> Passed;
manage(#manager{room = Room, ready = Ready, waiting = Waiting, pending = Pending, idle = Idle, sum = Sum} = M) ->
    receive
        {data, Producer, Item} ->
            M1 = case Ready of
                     [C | Cs] -> C ! {data, Item}, M#manager{ready = Cs, idle = Idle - 1, sum = Sum + 1};
                     [] -> M#manager{pending = queue:in(Item, Pending), sum = Sum + 1}
                 end,
            case queue:len(M1#manager.pending) >= Room of
                true -> manage(M1#manager{waiting = queue:in(Producer, Waiting)});
                false -> Producer ! produce, manage(M1)
            end;
        {available, Consumer} ->
            case queue:out(Pending) of
                {empty, _} ->
                    manage(M#manager{ready = Ready ++ [Consumer], idle = Idle + 1});
                {{value, Item}, Rest} ->
                    Consumer ! {data, Item},
                    case queue:out(Waiting) of
                        {{value, Producer}, Others} ->
                            Producer ! produce,
                            manage(M#manager{pending = Rest, waiting = Others});
                        {empty, _} ->
                            manage(M#manager{pending = Rest})
                    end
            end;
        producer_left ->
            manage(M#manager{left = M#manager.left - 1})
    end.

producer(0, Manager, _) -> Manager ! producer_left;
producer(N, Manager, Item) ->
    Next = process_item(Item),
    Manager ! {data, self(), Next},
    receive produce -> producer(N - 1, Manager, Next) end.

consumer(Manager, Sum) ->
    receive
        {data, Item} ->
            New = process_item(Sum + Item),
            Manager ! {available, self()},
            consumer(Manager, New);
        exit -> ok
    end.

process_item(Item) -> process_item(?COST * 100, ?COST, Item).

process_item(0, _, Item) -> Item;
process_item(N, R0, Item) ->
    R = savina:next(R0),
    process_item(N - 1, R, Item + math:log(savina:double(R) + 0.01)).
