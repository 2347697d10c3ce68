%% term_to_binary and back: bytes, options, compressed, safe, every kind of damage.
-module(external_terms).
%% skip gc-stress: large terms, many calls; memory_small sends terms around
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

main(_Args) ->
    ?S([erlang:phash2(term_to_binary(V)) || V <- nested()]), ?S(lists:all(fun(V) -> binary_to_term(term_to_binary(V)) =:= V end, nested())),
    ?S([[byte_size(B) || B <- erlang:term_to_iovec(T, O)] || T <- [a, {big(100), big(64), big(65)}, [fun() -> big(9) end, big(70) | big(80)]], O <- [[], [{compressed, 0}]]]), ?S(erlang:term_to_iovec(big(500), [compressed])),
    ?S(binary_to_term(iolist_to_binary(erlang:term_to_iovec({a, big(100), #{b => big(200)}}))) =:= {a, big(100), #{b => big(200)}}),
    [io:format("~0tP: ~w~n", [V, 30, term_to_binary(V)]) || V <- sample_terms:values() -- sample_terms:maps()],
    [io:format("~w ~w ~w~n", [binary_to_term(term_to_binary(V)) =:= V, byte_size(term_to_binary(V)) =:= erlang:external_size(V), binary_to_term(term_to_binary(V, [compressed])) =:= V]) || V <- sample_terms:values()],
    ?S(term_to_binary(a, [{minor_version, 0}])), ?S(term_to_binary(1.5, [{minor_version, 0}])), ?S(term_to_binary(1.5, [{minor_version, 1}])), ?S(term_to_binary(a, [bad])), ?S(byte_size(term_to_binary(lists:duplicate(1000, x), [compressed]))), ?S(term_to_binary(lists:duplicate(100, 1), [{compressed, 9}])),
    ?S(binary_to_term(<<131, 100, 0, 1, 97>>)), ?S(binary_to_term(<<131, 115, 1, 97>>)), ?S(binary_to_term(<<131, 99, "1.50000000000000000000e+00", 0, 0, 0, 0, 0>>)), ?S(binary_to_term(<<131, 107, 0, 3, 1, 2, 3>>)), ?S(binary_to_term(<<131, 104, 2, 97, 1, 106>>)), ?S(binary_to_term(<<131, 110, 9, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9>>)), ?S(binary_to_term(<<131, 98, 255, 255, 255, 255>>)), ?S(binary_to_term(<<131, 110, 1, 0, 5>>)),
    ?S(binary_to_term(<<131, 97, 1, 99>>, [used])), ?S(binary_to_term(<<131, 119, 22, "never_seen_this_atom_1">>, [safe])), ?S(binary_to_term(<<131, 119, 5, "lists">>, [safe])), ?S(binary_to_term(<<131, 116, 0, 0, 0, 2, 97, 1, 97, 1, 97, 1, 97, 2>>)), ?S(binary_to_term(<<131, 70, 127, 240, 0, 0, 0, 0, 0, 0>>)), ?S(binary_to_term(<<131, 119, 2, 255, 254>>)), ?S(binary_to_term(<<131, 77, 0, 0, 0, 1, 3, 224>>)), ?S(binary_to_term(<<131, 77, 0, 0, 0, 1, 9, 224>>)),
    [?S([{N, erlang:external_size(T, [{minor_version, N}])} || N <- [0, 1]]) || T <- lists_of_kinds()],
    ?S(damaged(term_to_binary({a, [1, 2, {b, "str"}], #{k => <<"bin">>}, 1.5, 1 bsl 100}))), ?S(huge_lengths()), ?S(old_identifiers()), ?S(deep(<<131>>, 100000)), ?S(refs_and_pids()), ?S(zlib_bomb()), ?S(safe_funs()), ?S(term_to_iovec(abc) =:= [term_to_binary(abc)]), ?S(erlang:phash2(term_to_binary(lists:seq(1, 100000)))), ?S(binary_to_term(<<>>)), ?S(binary_to_term(x)), ?S(binary_to_term(<<131>>)), ?S(binary_to_term(<<130, 97, 1>>)).

lists_of_kinds() ->
    L = lists:seq(0, 255),
    [L, [1, 256], [1 | 2], [1, a], L ++ [a | b], L ++ [big(3)], [[]], [[] | L], [a, -1, 1 bsl 40, 1 bsl 59, -(1 bsl 59), 1 bsl 31, -(1 bsl 31), 1.5, self() | L], lists:duplicate(65535, 7), lists:duplicate(65536, 7),
     lists:duplicate(65536, 7) ++ [x], [list_to_atom([16#e5]), list_to_atom([16#3c0]), list_to_atom(lists:duplicate(200, 16#e5)), list_to_atom(lists:duplicate(255, 16#3c0))], [1, [2, [3, [a | b] | 4], 5] | {6, [7]}], {1, a, 300, [b], c, "d", {e, 1.0}, f}, #{1 => a, b => [2]}].
big(N) -> binary:copy(<<"x">>, N).

%% Each truncation and each flipped bit: a value or badarg, never anything else.
damaged(B) ->
    N = byte_size(B),
    Cut = [try binary_to_term(binary:part(B, 0, I)), 1 catch error:badarg -> 0 end || I <- lists:seq(0, N - 1)],
    Flipped = [try binary_to_term(flip(B, I)), 1 catch error:badarg -> 0 end || I <- lists:seq(8, N * 8 - 1)],
    {lists:sum(Cut), length(Flipped), lists:sum(Flipped) > 100}.
flip(B, I) -> <<A:I/bits, X:1, R/bits>> = B, <<A/bits, (1 - X):1, R/bits>>.

huge_lengths() -> [show:quiet(fun() -> binary_to_term(<<131, T, 255, 255, 255, 255, 1, 2, 3>>) end) || T <- [108, 105, 109, 111, 116, 77, 98]].
deep(B, N) -> Deep = iolist_to_binary([B, [<<108, 0, 0, 0, 1>> || _ <- lists:seq(1, N)], <<106>>, [<<106>> || _ <- lists:seq(1, N)]]), T = binary_to_term(Deep), term_to_binary(T) =:= Deep.
refs_and_pids() -> T = {self(), make_ref(), fun lists:map/2}, binary_to_term(term_to_binary(T)) =:= T.
%% Of the creation of old pids, ports and references two bits count, of a reference's number 18.
old_identifiers() ->
    A = <<100, 0, 3, "a@b">>,
    Packets = [<<131, T, A/binary, N:32, S:32, C:Size>> || {T, Size} <- [{103, 8}, {88, 32}], {N, S, C} <- [{1, 0, 3}, {1, 0, 4}, {1 bsl 28, 1, 1}, {1, 1 bsl 31, 1}, {1, 1, 255}]]
        ++ [<<131, T, A/binary, N:32, C:Size>> || {T, Size} <- [{102, 8}, {89, 32}], {N, C} <- [{1, 3}, {1, 4}, {1 bsl 28, 1}, {1, 255}]]
        ++ [<<131, 101, A/binary, N:32, C:8>> || {N, C} <- [{1 bsl 18 - 1, 3}, {1 bsl 18, 1}, {1, 4}]]
        ++ [<<131, T, L:16, A/binary, C:Size, N:32, 0:((L - 1) * 32)>> || {T, Size} <- [{114, 8}, {90, 32}], {L, N, C} <- [{1, 1 bsl 18 - 1, 3}, {3, 1 bsl 18, 1}, {5, 1, 1}, {6, 1, 1}, {3, 1, 255}]],
    [try binary_to_term(P), 1 catch error:badarg -> 0 end || P <- Packets].

%% Funs that no loaded code has or calls are not made.
safe_funs() ->
    [try binary_to_term(term_to_binary(fun M:F/A), [safe]) catch error:badarg -> no end
     || {M, F, A} <- [{lists, map, 2}, {lists, map, 9}, {nomod, map, 9}, {erlang, self, 0}, {erlang, apply, 2}, {?MODULE, main, 1}, {?MODULE, main, 2}]].

zlib_bomb() -> show:quiet(fun() -> binary_to_term(<<131, 80, 255, 255, 255, 255, 1, 2, 3>>) end).

%% Lists and tuples whose elements are work for later and are not, in all orders.
nested() ->
    Parts = [1, -5, 1 bsl 40, 1.5, a, [], "str", {}, {x}, <<"b">>, <<1:3>>, big(5000), #{a => [b]}, [x | y], {1, [2, {3}]}],
    [Parts, list_to_tuple(Parts)] ++ [[A, B, A | B] || A <- Parts, B <- Parts] ++ [{A, {B}, A} || A <- Parts, B <- Parts] ++ [lists:duplicate(3000, A) || A <- Parts].
