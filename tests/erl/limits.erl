%% Requests that no machine can serve: system_limit (or what OTP says), at once, and the program goes on.
-module(limits).
-export([main/1]).

main(_) ->
    try_all(binaries()),
    try_all(numbers()),
    try_all(others()),
    try_all(damaged()).

try_all(List) -> [io:format("~s: ~p~n", [Name, outcome(F)]) || {Name, F} <- List].

outcome(F) ->
    try F() of
        V when is_bitstring(V), bit_size(V) > 1000 -> {bits, bit_size(V)};
        V -> {ok, V}
    catch C:E -> {C, E}
    end.

id(X) -> X.

binaries() ->
    [{"copy by -1", fun() -> binary:copy(<<0:800>>, id(-1)) end},
     {"copy by a bignum", fun() -> binary:copy(<<0:800>>, id(1 bsl 70)) end},
     {"2^62 bits", fun() -> <<0:(id(1 bsl 62))>> end},
     {"2^70 bits", fun() -> <<0:(id(1 bsl 70))>> end},
     {"2^59 binary", fun() -> <<(id(<<1>>)):(id(1 bsl 59))/binary>> end},
     {"unit overflow", fun() -> <<0:(id(1 bsl 61))/unit:256>> end},
     {"-1 bits", fun() -> <<0:(id(-1))>> end}].

numbers() ->
    [{"1 bsl 2^40", fun() -> 1 bsl id(1 bsl 40) end},
     {"1 bsl 2^70", fun() -> 1 bsl id(1 bsl 70) end},
     {"-1 bsl 2^40", fun() -> -1 bsl id(1 bsl 40) end},
     {"1 bsr -2^40", fun() -> 1 bsr id(-(1 bsl 40)) end},
     {"1 bsr 2^70", fun() -> 1 bsr id(1 bsl 70) end},
     {"-1 bsr 2^70", fun() -> -1 bsr id(1 bsl 70) end},
     {"0 bsl 2^70", fun() -> 0 bsl id(1 bsl 70) end},
     {"2^25 bits squared", fun() -> X = 1 bsl id(1 bsl 25), (X * X) bsr (1 bsl 26) end},
     {"1.0e999", fun() -> list_to_float("1.0e999") end},
     {"10^1000 as a float", fun() -> float(list_to_integer([$1 | lists:duplicate(1000, $0)])) end}].

others() ->
    [{"tuple of 2^27", fun() -> erlang:make_tuple(id(1 bsl 27), 0) end},
     {"tuple of 2^24", fun() -> erlang:make_tuple(id(1 bsl 24), 0) end},
     {"tuple of 2^24 - 1", fun() -> tuple_size(erlang:make_tuple(id((1 bsl 24) - 1), 0)) end},
     {"tuple of 2^70", fun() -> erlang:make_tuple(id(1 bsl 70), 0) end},
     {"atom of 256", fun() -> list_to_atom(lists:duplicate(256, $a)) end},
     {"atom of 255", fun() -> length(atom_to_list(list_to_atom(lists:duplicate(255, $a)))) end},
     {"atom of 256, binary", fun() -> binary_to_atom(binary:copy(<<"a">>, 256)) end},
     {"existing atom of 300", fun() -> list_to_existing_atom(lists:duplicate(300, $a)) end},
     {"atom of a surrogate", fun() -> list_to_atom([id(16#d800)]) end},
     {"apply of 256", fun() -> apply(lists, id(append), lists:duplicate(256, a)) end},
     {"min_heap_size", fun() -> process_flag(min_heap_size, id(1 bsl 60)) end},
     {"send_after 2^70", fun() -> erlang:send_after(id(1 bsl 70), self(), x) end},
     {"send_after 2^62", fun() -> erlang:send_after(id(1 bsl 62), self(), x) end},
     {"after 2^32", fun() -> receive never -> ok after id(1 bsl 32) -> ok end end},
     {"iolist_size of 64 TiB", fun() -> iolist_size(lists:duplicate(1 bsl 10, lists:duplicate(1 bsl 10, <<0:(8 bsl 26)>>))) end}].

%% External terms that promise more than they hold.
damaged() ->
    [{lists:flatten(io_lib:format("~w", [B])), fun() -> binary_to_term(list_to_binary([131 | B])) end}
     || B <- [[109, 255, 255, 255, 255], [105, 255, 255, 255, 255], [108, 255, 255, 255, 255, 1],
              [80, 255, 255, 255, 255, 1, 2, 3], [116, 255, 255, 255, 255],
              [111, 255, 255, 255, 255, 0], [90, 255, 255, 255, 255, 0], [77, 255, 255, 255, 255, 8],
              [112, 255, 255, 255, 255, 0], [100, 255, 255, $a], [118, 255, 255, $a]]].
