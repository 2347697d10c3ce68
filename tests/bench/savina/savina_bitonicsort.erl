%% Savina, bitonic sort: values flow through a network of processes, one for each comparison, with splitters and
%% joiners between them.
-module(savina_bitonicsort).
-export([run/0, small/0]).

run() -> run(4_096).
small() -> run(16).

run(N) ->
    First = network(N, self()),
    source(N, 2048, First),
    validate(N, 0, 0).

source(0, _, First) -> First ! exit;
source(N, R0, First) ->
    R = savina:next(R0),
    First ! {value, R},
    source(N - 1, R, First).

validate(0, _, Sum) -> receive exit -> Sum end;
validate(N, Previous, Sum) ->
    receive {value, X} when X >= Previous -> validate(N - 1, X, Sum + X) end.

%% Built from the last stage on. Sequences of 2, 4, ... are made bitonic, then one of all is merged.
network(N, Sink) ->
    Last = steps(N div 2, N, N, fun(_, _) -> true end, Sink),
    lists:foldl(fun(P, Next) ->
                    steps(P div 2, P, N, fun(I, Directions) -> (I div Directions) rem 2 =:= 0 end, Next)
                end, Last, powers(N div 2)).

powers(1) -> [];
powers(P) -> [P | powers(P div 2)].

steps(0, _, _, _, Next) -> Next;
steps(I, P, N, Direction, Next) -> steps(I div 2, P, N, Direction, step(P div I, N div P * I, I, Direction, Next)).

%% Parts of that length, each sorted its way.
step(Length, Parts, Directions, Direction, Next) ->
    Joiner = spawn_link(fun() -> joiner(Length, Parts, Next) end),
    Workers = [part(I, Length, Direction(I, Directions), Joiner) || I <- lists:seq(0, Parts - 1)],
    spawn_link(fun() -> splitter(Length, Workers) end).

part(I, 2, Up, Joiner) -> spawn_link(fun() -> compare_exchange(I, Up, Joiner) end);
part(I, Length, Up, Next) ->
    Half = Length div 2,
    Tagger = spawn_link(fun() -> tagger(I, Next) end),
    Joiner = spawn_link(fun() -> joiner(1, Half, Tagger) end),
    Workers = [spawn_link(fun() -> compare_exchange(J, Up, Joiner) end) || J <- lists:seq(0, Half - 1)],
    spawn_link(fun() -> splitter(1, Workers) end).

compare_exchange(I, Up, Next) ->
    receive
        {value, A} ->
            receive {value, B} -> ok end,
            {First, Second} = case (A =< B) =:= Up of true -> {A, B}; false -> {B, A} end,
            Next ! {data, I, First},
            Next ! {data, I, Second},
            compare_exchange(I, Up, Next);
        exit ->
            Next ! exit
    end.

tagger(I, Next) ->
    receive
        {value, X} -> Next ! {data, I, X}, tagger(I, Next);
        exit -> Next ! exit
    end.

splitter(Run, Workers) -> splitter(Run, Run, Workers, Workers).

splitter(0, Run, [_ | Workers], All) -> splitter(Run, Run, Workers, All);
splitter(N, Run, [], All) -> splitter(N, Run, All, All);
splitter(N, Run, [Worker | _] = Workers, All) ->
    receive
        {value, _} = Value -> Worker ! Value, splitter(N - 1, Run, Workers, All);
        exit -> [Each ! exit || Each <- All], ok
    end.

joiner(Run, Parts, Next) ->
    Queues = maps:from_list([{I, queue:new()} || I <- lists:seq(0, Parts - 1)]),
    joiner(Queues, 0, Run, Run, Parts, Parts, Next).

joiner(_, _, _, _, _, 0, Next) -> Next ! exit;
joiner(Queues, I, Left, Run, Parts, Open, Next) ->
    receive
        {data, From, X} ->
            #{From := Queue} = Queues,
            forward(Queues#{From := queue:in(X, Queue)}, I, Left, Run, Parts, Open, Next);
        exit ->
            joiner(Queues, I, Left, Run, Parts, Open - 1, Next)
    end.

forward(Queues, I, 0, Run, Parts, Open, Next) -> forward(Queues, (I + 1) rem Parts, Run, Run, Parts, Open, Next);
forward(Queues, I, Left, Run, Parts, Open, Next) ->
    #{I := Queue} = Queues,
    case queue:out(Queue) of
        {{value, X}, Rest} ->
            Next ! {value, X},
            forward(Queues#{I := Rest}, I, Left - 1, Run, Parts, Open, Next);
        {empty, _} ->
            joiner(Queues, I, Left, Run, Parts, Open, Next)
    end.
