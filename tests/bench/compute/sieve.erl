%% Primes by filtering lists, and by an array of bits in a bignum-free way.
-module(sieve).
-export([run/0]).

run() -> {length(filter(lists:seq(2, 12_000))), length(odd_sieve(400_000))}.

filter([]) -> [];
filter([P | Rest]) when P * P > 12_000 -> [P | Rest];
filter([P | Rest]) -> [P | filter([N || N <- Rest, N rem P =/= 0])].

%% Incremental: strikes out multiples by a merge of ordered lists.
odd_sieve(Max) -> odd_sieve(3, lists:seq(3, Max, 2), Max, [2]).

odd_sieve(P, List, Max, Primes) when P * P > Max -> lists:reverse(Primes, List);
odd_sieve(_, [P | List], Max, Primes) ->
    odd_sieve(hd(List), strike(List, P * P, 2 * P), Max, [P | Primes]).

strike([X | List], M, Step) when X < M -> [X | strike(List, M, Step)];
strike([M | List], M, Step) -> strike(List, M + Step, Step);
strike([_ | _] = List, M, Step) -> strike(List, M + Step, Step);
strike([], _, _) -> [].
