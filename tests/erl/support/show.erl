%% Prints what became of an expression: its value, or class, reason and where it was raised.
-module(show).
-export([is/2, outcome/1, id/1, sorted/1, stack/1, quiet/1]).

is(Text, Fun) -> io:format("~ts = ~ts~n", [Text, mask(lists:flatten(outcome(Fun)))]).

%% What differs in every run is no result: the numbers of pids, references and ports.
mask("#Ref<" ++ Rest) -> "#Ref<>" ++ mask(after_bracket(Rest));
mask("#Port<" ++ Rest) -> "#Port<>" ++ mask(after_bracket(Rest));
mask([$<, $0, $., D | Rest]) when D >= $0, D =< $9 -> "<pid>" ++ mask(after_bracket(Rest));
mask([C | Rest]) -> [C | mask(Rest)];
mask([]) -> [].

after_bracket(Text) -> tl(lists:dropwhile(fun(C) -> C =/= $> end, Text)).

outcome(Fun) ->
    try Fun() of
        Value -> io_lib:format("~0tp", [Value])
    catch
        Class:Reason:Stack ->
            io_lib:format("** ~ts ~0tp ~ts", [Class, Reason, stack(Stack)])
    end.

%% The compiler cannot see through this.
id(X) -> X.

%% A map as a sorted list: large maps have no order that one may print.
sorted(Map) -> lists:sort(maps:to_list(Map)).

%% The frames above this module's, as module:function/arity:line.
stack(Stack) ->
    Own = lists:takewhile(fun({M, _, _, _}) -> M =/= ?MODULE end, Stack),
    lists:join(" ", [frame(F) || F <- Own]).

frame({M, F, Args, Info}) when is_list(Args) ->
    io_lib:format("~tw:~tw(~ts)~ts", [M, F, lists:join(",", [io_lib:format("~0tp", [A]) || A <- Args]),
                                      line(Info)]);
frame({M, F, Arity, Info}) ->
    io_lib:format("~tw:~tw/~w~ts", [M, F, Arity, line(Info)]).

%% `!` marks a frame that has error_info (what a shell would explain further).
line(Info) ->
    case {proplists:get_value(line, Info), proplists:get_value(error_info, Info)} of
        {undefined, undefined} -> "";
        {undefined, _} -> "!";
        {Line, undefined} -> [":", integer_to_list(Line)];
        {Line, _} -> [":", integer_to_list(Line), "!"]
    end.

%% Runs Fun, the value only.
quiet(Fun) -> try Fun() catch C:R -> {C, R} end.
