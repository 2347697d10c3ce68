%% Savina, sleeping barber: customers, a waiting room, and one barber. Who finds it full comes again.
-module(savina_barber).
-export([run/0, small/0]).

-define(RATE, 1000).

run() -> run(5_000, 1_000).
small() -> run(20, 3).

run(Haircuts, Room) ->
    Factory = self(),
    Barber = spawn_link(fun() -> barber(74755) end),
    WaitingRoom = spawn_link(fun() -> room(queue:new(), 0, Room, asleep, Barber) end),
    customers(Haircuts, 74755, WaitingRoom, Factory),
    Done = serve(Haircuts, 0, WaitingRoom),
    WaitingRoom ! exit,
    Done.

customers(0, _, _, _) -> ok;
customers(N, R0, Room, Factory) ->
    Room ! {enter, spawn_link(fun() -> customer(Factory) end)},
    R = savina:next(R0),
    savina:busy_wait(R rem ?RATE + 10),
    customers(N - 1, R, Room, Factory).

serve(Done, Done, _) -> Done;
serve(N, Done, Room) ->
    receive
        {returned, Customer} -> Room ! {enter, Customer}, serve(N, Done, Room);
        done -> serve(N, Done + 1, Room)
    end.

customer(Factory) ->
    receive
        full -> Factory ! {returned, self()}, customer(Factory);
        done -> Factory ! done;
        _ -> customer(Factory)
    end.

room(Waiting, Length, Capacity, Barbers, Barber) ->
    receive
        {enter, Customer} when Length =:= Capacity ->
            Customer ! full,
            room(Waiting, Length, Capacity, Barbers, Barber);
        {enter, Customer} ->
            case Barbers of
                asleep -> self() ! next;
                awake -> Customer ! wait
            end,
            room(queue:in(Customer, Waiting), Length + 1, Capacity, awake, Barber);
        next ->
            case queue:out(Waiting) of
                {{value, Customer}, Rest} ->
                    Barber ! {enter, Customer, self()},
                    room(Rest, Length - 1, Capacity, awake, Barber);
                {empty, _} ->
                    Barber ! wait,
                    room(Waiting, Length, Capacity, asleep, Barber)
            end;
        exit ->
            Barber ! exit
    end.

barber(R0) ->
    receive
        {enter, Customer, Room} ->
            Customer ! start,
            R = savina:next(R0),
            savina:busy_wait(R rem ?RATE + 10),
            Customer ! done,
            Room ! next,
            barber(R);
        wait -> barber(R0);
        exit -> ok
    end.
