%% Savina, sieve of Eratosthenes: a pipeline of filters, each with a thousand primes.
-module(savina_sieve).
-export([run/0, small/0]).

run() -> run(100_000, 1_000).
small() -> run(500, 10).

run(Limit, PerFilter) ->
    Main = self(),
    First = spawn_link(fun() -> filter([2], 1, PerFilter, none, Main) end),
    produce(3, Limit, First),
    lists:sum(gather([])).

produce(N, Limit, First) when N >= Limit -> First ! exit;
produce(N, Limit, First) -> First ! {candidate, N}, produce(N + 2, Limit, First).

gather(Counts) ->
    receive
        {primes, Count, more} -> gather([Count | Counts]);
        {primes, Count, last} -> [Count | Counts]
    end.

filter(Primes, Count, Max, Next, Main) ->
    receive
        {candidate, N} = Candidate ->
            case is_prime(N, Primes) of
                false -> filter(Primes, Count, Max, Next, Main);
                true when is_pid(Next) ->
                    Next ! Candidate,
                    filter(Primes, Count, Max, Next, Main);
                true when Count < Max ->
                    filter(Primes ++ [N], Count + 1, Max, Next, Main);
                true ->
                    filter(Primes, Count, Max, spawn_link(fun() -> filter([N], 1, Max, none, Main) end), Main)
            end;
        exit when is_pid(Next) ->
            Main ! {primes, Count, more},
            Next ! exit;
        exit ->
            Main ! {primes, Count, last}
    end.

is_prime(N, [P | _]) when N rem P =:= 0 -> false;
is_prime(N, [_ | Ps]) -> is_prime(N, Ps);
is_prime(_, []) -> true.
