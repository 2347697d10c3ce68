%% Sample terms: one or more of everything a term can be, without pids, ports and references
%% (which print differently in every run).
-module(sample_terms).
-export([values/0, small/0, numbers/0, lists/0, maps/0, binaries/0, texts/0, funs/0, each/2, pairs/3]).

numbers() ->
    [0, 1, -1, 42, 255, 256, 1114111, 1 bsl 28, (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 59), 1 bsl 60,
     1 bsl 64, -(1 bsl 64), 1 bsl 200, 0.0, 1.0, -1.5, 1.0e10, 1.0e-10, 1.0e300].

texts() ->
    ["", "a", "hello world", "  padded  ", "ÅÄÖ", [8364, 128512], ["nested", $x, <<"bin">>],
     <<>>, <<"abc">>, <<"żółw"/utf8>>, <<255, 254>>, <<"e", 204, 129>>, [<<"a">> | <<"tail">>],
     "a,b,,c", "line\r\nbreak\n", "ß", "1.5e3"].

binaries() ->
    [<<>>, <<0>>, <<"abc">>, <<1, 2, 3, 255>>, <<5:3>>, <<1:1>>, <<"abc", 3:2>>,
     binary:copy(<<"x">>, 64), binary:copy(<<"y">>, 65), binary:part(binary:copy(<<"0123">>, 50), 7, 100)].

lists() ->
    [[], [1], [1, 2, 3], [3, 1, 2], [a, b | c], [[]], [[1, 2], [3]], [{a, 1}, {b, 2}, a],
     lists:seq(1, 20), [1, 1.0, 1], [{k, v} | tail], [true, false]].

%% None with more than 32 keys: the order of those is nobody's business.
maps() ->
    [#{}, #{a => 1}, #{1 => a, 1.0 => b}, #{"k" => [], {} => #{}},
     maps:from_list([{I, I * I} || I <- lists:seq(1, 32)])].

funs() -> [fun lists:map/2, fun erlang:'+'/2, fun sample_terms:values/0].

values() ->
    numbers() ++ [a, '', 'hello world', 'żółw', true, false, undefined, nil, ok, {}, {1}, {a, b, c},
                  {{}, []}, {error, "text"}] ++ texts() ++ binaries() ++ lists() ++ maps() ++ funs().

%% A few of each kind, for functions of several arguments.
small() ->
    [0, 1, -1, 3, 1 bsl 64, 1.5, a, true, {}, {a, 1}, [], [1, 2, 3], [a | b], "abc", [{a, 1}, {b, 2}],
     <<>>, <<"abc">>, <<5:3>>, #{}, #{a => 1}, #{b => 2}, fun lists:sum/1].

%% Prints Module:Function(V) for every V of Values.
each(MFs, Values) -> [call(M, F, [V]) || {M, F} <- MFs, V <- Values], ok.

%% Prints Module:Function(V, W) for every pair.
pairs(MFs, Vs, Ws) -> [call(M, F, [V, W]) || {M, F} <- MFs, V <- Vs, W <- Ws], ok.

call(M, F, Args) ->
    io:format("~w:~w(~ts) = ~ts~n",
              [M, F, lists:join(", ", [io_lib:format("~0tP", [A, 40]) || A <- Args]), result(M, F, Args)]).

result(M, F, Args) ->
    try apply(M, F, Args) of
        Value when is_map(Value), map_size(Value) > 32 ->
            io_lib:format("map ~0tP", [lists:sort(maps:to_list(Value)), 200]);
        Value -> io_lib:format("~0tP", [Value, 200])
    catch
        Class:Reason:Stack -> io_lib:format("** ~w ~0tP ~ts", [Class, Reason, 100, top(Stack)])
    end.

top([{M, F, Args, _} | _]) when is_list(Args) -> top([{M, F, length(Args), []}]);
top([{M, F, Arity, _} | _]) -> io_lib:format("~w:~w/~w", [M, F, Arity]);
top([]) -> "".
