%% A plan is the set of argument lists that a function is called with, as a sequence: size/1 and, for
%% index I, args/2. The same on every machine.
%%
%%   {product, [Class]}         every combination of the classes' values
%%   {sample, N, [Class]}       N times a value for each argument: usually of its class, else of any
%%   {both, Plan, Plan}         one, then the other
%%   {named, Name, Plan}        the function's calls in another family
-module(api_plan).
-export([arity/1, name/1, size/1, prepare/1, args/2]).

-define(ANY_PERCENT, 12).  % of the arguments of a sample: a value of another class

arity({product, Cs}) -> length(Cs);
arity({sample, _, Cs}) -> length(Cs);
arity({both, P, _}) -> arity(P);
arity({named, _, P}) -> arity(P).

name({named, Name, _}) -> " (" ++ Name ++ ")";
name(_) -> "".

size({product, Cs}) -> lists:foldl(fun(C, N) -> N * length(values(C)) end, 1, Cs);
size({sample, N, _}) -> N;
size({both, P, Q}) -> api_plan:size(P) + api_plan:size(Q);
size({named, _, P}) -> api_plan:size(P).

values(all) -> api_value:all();
values(C) -> api_value:of_class(C).

prepare({product, Cs}) -> {product, [list_to_tuple(values(C)) || C <- Cs]};
prepare({sample, N, Cs}) -> {sample, N, Cs, list_to_tuple(api_value:pairs())};
prepare({named, _, P}) -> prepare(P);
prepare({both, P, Q}) -> {both, api_plan:size(P), prepare(P), prepare(Q)}.

args({product, Tuples}, I) -> digits(lists:reverse(Tuples), I, []);
args({sample, _, Cs, Any}, I) ->
    {Args, _} = lists:mapfoldl(fun(C, S) -> argument(C, Any, S) end, next(next(I * 7919 + 1)), Cs),
    Args;
args({both, N, P, _}, I) when I < N -> args(P, I);
args({both, N, _, Q}, I) -> args(Q, I - N).

digits([], _, Args) -> Args;
digits([T | Ts], I, Args) -> digits(Ts, I div tuple_size(T), [element(I rem tuple_size(T) + 1, T) | Args]).

argument(C, Any, S) ->
    case S rem 100 < ?ANY_PERCENT of
        true -> pick(Any, next(S));
        false -> generate(C, 4, next(S))
    end.

pick(T, S) -> {element((S bsr 3) rem tuple_size(T) + 1, T), next(S)}.

%% xorshift, 32 bits: small integers throughout.
next(S0) ->
    S1 = (S0 bxor (S0 bsl 13)) band 16#ffffffff,
    S2 = S1 bxor (S1 bsr 17),
    case (S2 bxor (S2 bsl 5)) band 16#ffffffff of
        0 -> 1;
        S -> S
    end.

%% A value of a structured class (api_types makes them of the types in -spec).
generate({union, Cs}, D, S) ->
    {C, S1} = pick(list_to_tuple(Cs), S),
    generate(C, D, S1);
generate({list, C}, D, S) when D > 0 ->
    {N, S1} = pick({0, 1, 1, 2, 3, 5}, S),
    lists:mapfoldl(fun(_, T) -> generate(C, D - 1, T) end, S1, lists:seq(1, N));
generate({list, _}, _, S) -> {[], S};
generate({cons, C}, D, S) when D > 0 ->
    {H, S1} = generate(C, D - 1, S),
    {T, S2} = generate({list, C}, D - 1, S1),
    {[H | T], S2};
generate({cons, C}, D, S) -> {H, S1} = generate(C, D, S), {[H], S1};
generate({tuple, Cs}, D, S) ->
    {Es, S1} = lists:mapfoldl(fun(C, T) -> generate(C, D - 1, T) end, S, Cs),
    {list_to_tuple(Es), S1};
generate({map, Fields}, D, S) ->
    lists:foldl(fun({K, C}, {M, T}) ->
                        case T band 8 of
                            0 -> {M, next(T)};
                            _ -> {V, T1} = generate(C, D - 1, next(T)), {M#{K => V}, T1}
                        end
                end, {#{}, S}, Fields);
generate(C, D, S) ->
    case api_value:of_class(C) of
        [] -> generate(any, D, S);
        Vs -> pick(list_to_tuple(Vs), S)
    end.
