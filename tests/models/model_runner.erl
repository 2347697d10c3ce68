%% What both interpreters share: reading sequences, naming what has other numbers in every run, telling failures.
-module(model_runner).
-export([loop/1, name/2, raised/3, text/1]).

%% A sequence a line, as an Erlang term with a full stop; its transcript, and a line that ends it.
loop(Run) ->
    case io:get_line("") of
        eof -> ok;
        Line ->
            {ok, Tokens, _} = erl_scan:string(Line),
            {ok, Steps} = erl_parse:parse_term(Tokens),
            {_, Ref} = spawn_monitor(fun() -> exit({transcript, Run(Steps)}) end),
            receive
                {'DOWN', Ref, _, _, {transcript, Lines}} -> ok;
                {'DOWN', Ref, _, _, Why} -> Lines = [io_lib:format("the interpreter failed: ~0tp~n", [Why])]
            end,
            io:put_chars([Lines, "== end\n"]),
            loop(Run)
    end.

text(Term) -> io_lib:format("~0tp", [Term]).

%% A term in which pids, references, tables, ports and funs have been replaced by what Names gives for them.
name(Names, T) when is_pid(T); is_reference(T) -> maps:get(T, Names, if is_pid(T) -> 'pid?'; true -> 'ref?' end);
name(_, T) when is_port(T) -> port;
name(_, T) when is_function(T) -> 'fun';
name(Names, [H | T]) -> [name(Names, H) | name(Names, T)];
name(Names, T) when is_tuple(T) -> list_to_tuple(name(Names, tuple_to_list(T)));
name(Names, T) when is_map(T) -> {map, lists:sort([{name(Names, K), name(Names, V)} || {K, V} <- maps:to_list(T)])};
name(_, T) -> T.

%% An exception: class, reason, who raised it and the cause that was noted.
raised(C, R, [{M, F, A, Info} | _]) ->
    Arity = if is_list(A) -> length(A); true -> A end,
    Cause = case lists:keyfind(error_info, 1, Info) of
                {_, #{cause := Why}} -> {cause, Why};
                {_, #{}} -> noted;
                false -> plain
            end,
    {raised, C, R, {M, F, Arity}, Cause};
raised(C, R, []) -> {raised, C, R}.
