%% Compares what api_runner showed on two machines.
%%
%%   main([Erl, Whitebeam, Explained, Report])
%%
%% Prints a few differing calls of each function with both outcomes and writes all to Report; a line
%% "counts EXPLAINED UNEXPLAINED" first. Ends with 1 if a difference has no row in Explained (rows of tests/known_failures): "api \t pattern of the
%% call \t pattern of erl's outcome or - \t reason".
-module(api_compare).
-export([main/1]).

-define(SHOWN, 2).

main([Erl, Whitebeam, Explained, Report]) ->
    ok = io:setopts(standard_io, [{encoding, unicode}]),
    Rules = rules(Explained),
    Other = maps:from_list([{number(C), W} || {C, W} <- calls(Whitebeam)]),
    Differing = [{C, E, W} || {C, E} <- calls(Erl), W <- [maps:get(number(C), Other, <<"(no outcome)">>)], E =/= W],
    {Explainable, Open} = lists:partition(fun(D) -> explanation(D, Rules) =/= none end, Differing),
    ok = file:write_file(Report, [line(D) || D <- Open]),
    io:format("counts ~w ~w~n", [length(Explainable), length(Open)]),
    Count = fun(D, Counts) -> maps:update_with(explanation(D, Rules), fun(N) -> N + 1 end, 1, Counts) end,
    [io:format("  ~w explained: ~ts~n", [N, Reason]) || {Reason, N} <- lists:sort(maps:to_list(lists:foldl(Count, #{}, Explainable)))],
    ByFunction = lists:foldl(fun({C, _, _} = D, M) -> maps:update_with(function(C), fun(Ds) -> [D | Ds] end, [D], M) end, #{}, Open),
    [begin
         io:format("  ~ts: ~w unexplained~n", [F, length(Ds)]),
         [io:put_chars(line(D)) || D <- lists:sublist(lists:reverse(Ds), ?SHOWN)]
     end || {F, Ds} <- lists:sort(maps:to_list(ByFunction))],
    halt(case Open of [] -> 0; _ -> 1 end).

line({C, E, W}) -> ["    ", C, "\n      erl        ", E, "\n      whitebeam  ", W, "\n"].

%% A call is "Module:Function/Arity#Chunk.Index Text".
number(Call) -> part(Call, "^.*?#[0-9]+\\.[0-9]+ ").
function(Call) -> part(Call, "^.*?/[0-9]+( \\([a-z0-9_!]*\\))?(?=#[0-9]+\\.[0-9]+ )").

part(Call, Pattern) ->
    case re:run(Call, Pattern, [{capture, first, binary}]) of
        {match, [Part]} -> Part;
        nomatch -> Call
    end.

%% [{Call, Outcome}] of a file of api_runner:show/2.
calls(File) ->
    {ok, Text} = file:read_file(File),
    pairs(binary:split(Text, <<"\n">>, [global]), none).

pairs([<<"    ", Outcome/binary>> | Ls], Call) when Call =/= none ->
    {More, Rest} = lists:splitwith(fun continues/1, Ls),
    [{Call, iolist_to_binary(lists:join("\n", [Outcome | More]))} | pairs(Rest, none)];
pairs([L | Ls], _) -> pairs(Ls, L);
pairs([], _) -> [].

continues(<<" ", _/binary>>) -> true;
continues(_) -> false.

rules(File) ->
    {ok, Text} = file:read_file(File),
    [begin
         [_, Call, Outcome, Reason] = binary:split(L, <<"\t">>, [global]),
         {compile(Call), compile(Outcome), Reason}
     end || <<"api", _/binary>> = L <- binary:split(Text, <<"\n">>, [global])].

compile(<<"-">>) -> any;
compile(P) -> {ok, Re} = re:compile(P, [unicode, dotall]), Re.

explanation(D, [{Call, Outcome, Reason} | Rules]) ->
    case D of
        {C, E, _} ->
            case matches(C, Call) andalso matches(E, Outcome) of
                true -> Reason;
                false -> explanation(D, Rules)
            end
    end;
explanation(_, []) -> none.

matches(_, any) -> true;
matches(Text, Re) -> re:run(Text, Re, [{capture, none}]) =:= match.
