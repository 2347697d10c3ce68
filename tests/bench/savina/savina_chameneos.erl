%% Savina, chameneos: who comes to the mall meets who waits there, and both change colour.
-module(savina_chameneos).
-export([run/0, small/0]).

run() -> run(100, 200_000).
small() -> run(5, 100).

run(Chameneos, Meetings) ->
    Mall = self(),
    [spawn_link(fun() -> meet(Mall, colour(I rem 3), 0) end) || I <- lists:seq(0, Chameneos - 1)],
    mall(Meetings, none, Chameneos, 0).

colour(0) -> blue;
colour(1) -> red;
colour(2) -> yellow.

mall(_, _, 0, Sum) -> Sum;
mall(Meetings, Waiting, Left, Sum) ->
    receive
        {meet, Who, _} when Meetings =:= 0 ->
            Who ! exit,
            mall(0, none, Left, Sum);
        {meet, Who, _} when Waiting =:= none ->
            mall(Meetings, Who, Left, Sum);
        {meet, _, _} = Meet ->
            Waiting ! Meet,
            mall(Meetings - 1, none, Left, Sum);
        {faded, Count} ->
            mall(Meetings, Waiting, Left - 1, Sum + Count)
    end.

meet(Mall, Colour, Count) ->
    Mall ! {meet, self(), Colour},
    receive
        {meet, Other, Others} ->
            New = complement(Colour, Others),
            Other ! {change, New},
            meet(Mall, New, Count + 1);
        {change, New} ->
            meet(Mall, New, Count + 1);
        exit ->
            Mall ! {faded, Count}
    end.

complement(Colour, Colour) -> Colour;
complement(A, B) -> hd([red, yellow, blue] -- [A, B]).
