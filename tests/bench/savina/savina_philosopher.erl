%% Savina, dining philosophers: an arbiter holds the forks; who is denied asks again.
-module(savina_philosopher).
-export([run/0, small/0]).

run() -> run(20, 10_000).
small() -> run(5, 30).

run(Philosophers, Rounds) ->
    Arbiter = self(),
    [spawn_link(fun() -> dine(I, Rounds, Arbiter) end) || I <- lists:seq(0, Philosophers - 1)],
    arbitrate(#{}, Philosophers, Philosophers, 0).

%% The forks in use are the keys of the map.
arbitrate(_, _, 0, Meals) -> Meals;
arbitrate(Used, All, Left, Meals) ->
    receive
        {hungry, Who, I} ->
            Other = (I + 1) rem All,
            case is_map_key(I, Used) orelse is_map_key(Other, Used) of
                true -> Who ! denied, arbitrate(Used, All, Left, Meals);
                false -> Who ! eat, arbitrate(Used#{I => used, Other => used}, All, Left, Meals)
            end;
        {done, I} ->
            arbitrate(maps:without([I, (I + 1) rem All], Used), All, Left, Meals + 1);
        leave ->
            arbitrate(Used, All, Left - 1, Meals)
    end.

dine(_, 0, Arbiter) -> Arbiter ! leave;
dine(I, Rounds, Arbiter) ->
    Arbiter ! {hungry, self(), I},
    receive
        denied -> dine(I, Rounds, Arbiter);
        eat -> Arbiter ! {done, I}, dine(I, Rounds - 1, Arbiter)
    end.
