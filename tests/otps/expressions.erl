%% Evaluates a file of expressions, a line each, and prints what each gives: `expressions` compares what
%% releases of OTP and Whitebeam with their libraries print.
-module(expressions).
-export([start/0, main/1]).

start() ->  % on `erl`
    main(init:get_plain_arguments()),
    halt().

main([File]) ->
    ok = io:setopts(standard_io, [{encoding, unicode}]),
    {ok, Text} = file:read_file(File),
    Lines = [L || L <- string:split(unicode:characters_to_list(Text), "\n", all), L =/= "", hd(L) =/= $%],
    lists:foreach(fun(L) -> io:format("~ts~n    ~tp~n", [L, outcome(L)]) end, Lines).

outcome(Line) ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({told, value(Line)}) end),
    receive
        {'DOWN', Ref, process, Pid, {told, Value}} -> Value;
        {'DOWN', Ref, process, Pid, Reason} -> {ended, Reason}
    end.

value(Line) ->
    try
        {ok, Tokens, _} = erl_scan:string(Line ++ "."),
        {ok, Parsed} = erl_parse:parse_exprs(Tokens),
        {value, V, _} = erl_eval:exprs(Parsed, []),
        V
    catch
        error:undef:Stack -> {M, F, A, _} = hd(Stack), {error, undef, {M, F, if is_list(A) -> length(A); true -> A end}};
        Class:Reason:Stack -> {Class, Reason, cause(Stack)}
    end.

cause([{_, _, _, Info} | _]) ->
    case proplists:get_value(error_info, Info, #{}) of
        #{cause := Cause} -> Cause;
        _ -> none
    end;
cause(_) -> none.
