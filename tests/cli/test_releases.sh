#!/bin/bash
# The release of the library that is found decides what a program sees. A root with the library of the OTP that is
# installed that says it is 27 shows what the machine itself does for such a release: expected is what `erl` 27 prints
# for the same calls.
source "$(dirname "$0")/check.sh"

need erlc
otp=$("$WHITEBEAM" doctor | awk '$1 == "OTP" { print $2; exit }')
[ -d "$otp/lib" ] || { echo "skipped: no OTP"; exit 77; }

root() {  # root RELEASE START_ERL_DATA
  mkdir -p "$scratch/$1/releases"
  ln -sfn "$otp/lib" "$scratch/$1/lib"
  echo "$2" >"$scratch/$1/releases/start_erl.data"
}
root 25 "13.1.5 25"
root 27 "15.2.7 27"
root 28 "16.0 28"

cat >"$scratch/answers.erl" <<'ERL'
-module(answers).
-export([main/1]).

main([Which]) -> lists:foreach(fun(F) -> io:format("~0tp~n", [outcome(F)]) end, answers(Which)).

outcome(F) ->
    try F()
    catch
        _:{undef, _} -> undef;
        error:undef -> undef;
        error:Reason:Stack ->
            {_, _, _, Info} = hd(Stack),
            case proplists:get_value(error_info, Info, #{}) of
                #{cause := Cause} -> {Reason, Cause};
                _ -> Reason
            end
    end.

id(X) -> hd([X || _ <- [1]]).

answers("releases") ->
    [fun() -> erlang:system_info(K) end || K <- [otp_release, version, compat_rel]];
answers("common") ->
    Zero = id(0.0), Minus = id(-0.0),
    T = ets:new(t, []), O = ets:new(o, [ordered_set, {keypos, 2}]), B = ets:new(b, [bag]),
    ets:insert(T, {1, a}), ets:insert(O, [{a, 1}, {b, 2}]), ets:insert(B, [{1, a}, {1, b}]),
    [fun() -> {Zero =:= Minus, Zero == Minus, [Zero] =:= [Minus], lists:member(Minus, [Zero])} end,
     fun() -> {maps:size(maps:from_list([{Zero, a}, {Minus, b}])), #{Zero => 1} < #{Minus => 1}} end,
     fun() -> {#{Minus => 1} < #{Zero => 1}, #{Zero => 1} == #{Minus => 1}} end,
     fun() -> ets:insert(T, [{Zero, x}, {Minus, y}]), [ets:lookup(T, K) || K <- [Zero, Minus]] end,
     fun() -> {term_to_binary(id(abc)), erlang:external_size(id(abc))} end,
     fun() -> term_to_binary(id(abc), [{minor_version, 1}]) end,
     fun() -> is_integer(id(1) bsl 4194239) end,
     fun() -> is_integer(id(1) bsl 4194240) end,
     fun() -> is_integer(binary_to_term(<<131, 111, 524281:32, 0, (binary:copy(<<255>>, 524281))/binary>>)) end,
     fun() -> ets:lookup(B, 1) end,
     fun() -> ets:update_element(T, 1, {3, x}) end,
     fun() -> ets:lookup_element(T, 7, 2, none) end,
     fun() -> ets:lookup_element(T, 1, 3, none) end,
     fun() -> ets:lookup_element(T, 7, 0, none) end,
     fun() -> ets:lookup_element(B, 1, 2, none) end,
     fun() -> {ets:update_element(T, 5, {2, x}, {9, y}), ets:lookup(T, 5)} end,
     fun() -> ets:update_element(T, 6, {3, x}, {9, y}) end,
     fun() -> ets:update_element(T, 6, {1, x}, {9, y}) end,
     fun() -> ets:update_element(T, 6, {2, x}, foo) end,
     fun() -> ets:update_element(B, 6, {2, x}, {1, 2}) end,
     fun() -> [ets:first_lookup(O), ets:last_lookup(O), ets:next_lookup(O, 1), ets:prev_lookup(O, 1)] end,
     fun() -> ets:next_lookup(T, nothing) end,
     fun() -> ets:first_lookup(nothing) end,
     fun() -> erlang:display_string(stdout, [955, $\n]) end,
     fun() -> erlang:display_string(nowhere, "a") end,
     fun() -> erts_internal:term_to_string({a, "bc", <<1>>, 1.5}, undefined) end,
     fun() -> erts_internal:term_to_string({a, "bc"}, 5) end,
     fun() -> erts_internal:term_to_string(a, 0) end,
     fun() -> [erts_internal:list_to_integer(L, 16) || L <- ["fFg", "x", x, "-"]] end,
     fun() -> [erts_internal:binary_to_integer(X, 10) || X <- [<<"-12">>, <<"x">>, x]] end,
     fun() -> erts_internal:map_next([b, a], #{a => 1, b => 2}, iterator) end,
     fun() -> erts_internal:map_next([b, c], #{a => 1, b => 2}, iterator) end,
     fun() -> put('$process_label', hey), process_info(self(), [label, {dictionary, nothing}]) end,
     fun() -> process_info(self(), {dictionary, '$process_label'}) end,
     fun() -> {process_flag(async_dist, true), process_info(self(), async_dist)} end,
     fun() -> process_flag(async_dist, 1) end,
     fun() -> {erlang:system_info(async_dist), erlang:system_info(halt_flush_timeout)} end,
     fun() -> erts_internal:processes_next(0) end];
answers("newer") ->
    [fun() -> {N, Pids} = erts_internal:processes_next(0), {lists:member(self(), Pids), erts_internal:processes_next(N)} end,
     fun() -> erts_internal:processes_next(-1) end,
     fun() -> [persistent_term:put_new(k, 1), persistent_term:put_new(k, 1), persistent_term:get(k)] end,
     fun() -> persistent_term:put_new(k, 2) end].
ERL
erlc -o "$scratch" "$scratch/answers.erl" || exit 1

prints() {  # prints WHAT OUTPUT WANTED
  [ "$2" = "$3" ] && return
  echo "FAILED: $1"
  diff <(echo "$3") <(echo "$2")
  failures=$((failures + 1))
}
answers() { "$WHITEBEAM" run --otp "$scratch/$1" "$scratch/answers.beam" main "$2"; }

prints "the releases" "$(for r in 25 27 28; do answers $r releases; done)" '"25"
"13.1.5"
25
"27"
"15.2.7"
27
"28"
"16.0"
28'

prints "OTP 25" "$(answers 25 common)" '{true,true,true,true}
{1,false}
{false,true}
[[{-0.0,y}],[{-0.0,y}]]
{<<131,100,0,3,97,98,99>>,7}
<<131,100,0,3,97,98,99>>
true
true
true
[{1,b},{1,a}]
badarg
undef
undef
undef
undef
undef
undef
undef
undef
undef
undef
undef
undef
undef
undef
undef
undef
undef
undef
undef
badarg
badarg
badarg
badarg
{badarg,badopt}
{badarg,badopt}
badarg
undef'

prints "OTP 27" "$(answers 27 common)" '{false,true,false,false}
{2,false}
{true,false}
[[{0.0,x}],[{-0.0,y}]]
{<<131,119,3,97,98,99>>,6}
<<131,100,0,3,97,98,99>>
true
system_limit
badarg
[{1,a},{1,b}]
{badarg,position}
none
badarg
badarg
[a,b]
{true,[{5,x}]}
{badarg,position}
{badarg,keypos}
badarg
badarg
[{1,[{a,1}]},{2,[{b,2}]},{2,[{b,2}]},'"'\$end_of_table'"']
badarg
{badarg,id}
λ
true
badarg
"{a,\"bc\",<<1>>,1.500000e+00}"
"{a,\"b... "
badarg
[{255,"g"},no_integer,not_a_list,no_integer]
[-12,badarg,badarg]
{b,2,{a,1,none}}
badarg
[{label,hey},{{dictionary,nothing},undefined}]
{{dictionary,'"'\$process_label'"'},hey}
{false,{async_dist,true}}
badarg
{false,infinity}
undef'

prints "OTP 28" "$(answers 28 newer)" '{true,none}
badarg
[ok,ok,1]
badarg'

# What is booted: a release from 25 to 29, with its own erts.
root 30 "18.0 30"
expect 2 'OTP 30 with erts-18.0 cannot be booted; OTP 25 to 29 can' "$WHITEBEAM" install "$scratch/booted" --otp "$scratch/30"
expect 2 'OTP 27 with erts-15.2.7 cannot be booted' "$WHITEBEAM" install "$scratch/booted" --otp "$scratch/27"

# The native functions of that release.
for release in 25 27 28; do
  expect 0 "^Native functions of OTP $release\$" "$WHITEBEAM" doctor --otp "$scratch/$release"
done
expect 0 'erl_debugger: .*breakpoint/3' "$WHITEBEAM" doctor --otp "$scratch/28"

finish
