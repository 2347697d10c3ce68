# Terms in external format that were changed bit by bit, in every tier.
source "$(dirname "$0")/check.sh"

program attacked_terms <<'P'
%% Terms in external format that were changed bit by bit: whatever they decode to can be called, printed, compared, encoded
%% again and used as a key, and nothing worse than an exception comes of it. (`erl` of OTP 25 crashes here.)
-module(attacked_terms).
-export([main/1, known/1]).

main(_) ->
    Free = {free, [1, 2.5]},
    Terms = [{local, fun(X) -> {X, Free} end}, {export, fun ?MODULE:known/1}, {pid, self()}, {reference, make_ref()},
             {others, <<131, 88, 100, 0, 3, "a@b", 0:32/unit:1, 1:32, 0:32, 7:32>>},
             {map, #{a => 1, "b" => {2}, 3.0 => <<4:3>>}}, {numbers, [1 bsl 70, -(1 bsl 200), 1.5, <<1, 2, 3:5>>]}],
    [io:format("~p: ~p~n", [Name, attack(encoded(T))]) || {Name, T} <- Terms],
    Packed = term_to_binary(lists:duplicate(300, {Free, known}), [compressed]),
    io:format("packed: ~p~n", [attack(Packed)]),
    %% A bomb that says less, or more, than it is.
    <<131, 80, Size:32, Rest/binary>> = Packed,
    [io:format("~p~n", [try binary_to_term(<<131, 80, S:32, Rest/binary>>) =:= binary_to_term(Packed) catch error:badarg -> badarg end])
     || S <- [0, 1, Size - 1, Size, Size + 1, 16#ffffffff]].

encoded(B) when is_binary(B) -> B;
encoded(T) -> term_to_binary(T).

known(X) -> {known, X}.

%% Bits behind the version.
attack(B) ->
    lists:foreach(fun(At) ->
                          <<Before:At/bits, Bit:1, After/bits>> = B,
                          try binary_to_term(<<Before/bits, (1 - Bit):1, After/bits>>, [safe]) of
                              T -> used(T)
                          catch error:badarg -> ok
                          end
                  end, lists:seq(8, bit_size(B) - 1)),
    survived.

used(T) ->
    {P, R} = spawn_monitor(fun() ->
                                   is_function(T) andalso (catch T(1)),
                                   _ = io_lib:format("~p", [T]),
                                   true = is_map_key(T, #{T => x}),
                                   true = T =:= binary_to_term(term_to_binary(T)),
                                   _ = erlang:phash2(T),
                                   exit(normal)
                           end),
    receive
        {'DOWN', R, process, P, normal} -> ok;
        {'DOWN', R, process, P, Why} -> io:format("~p~n", [Why])
    end.
P
want="$(printf '%s: survived\n' local export pid reference others map numbers packed)
$(printf '%s\n' badarg badarg badarg true badarg badarg)"
for options in "--jit off" "--jit always" "--gc-stress"; do
  got=$(timeout 100 "$WHITEBEAM" run $options "$scratch/attacked_terms.erl" 2>&1)
  [ "$got" = "$want" ] || { echo "FAILED: $options: $got"; failures=$((failures + 1)); }
done
finish
