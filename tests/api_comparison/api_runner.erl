%% Runs the calls of a family and prints, a line a chunk of calls, a hash of their outcomes; or, for
%% named chunks, every call and its outcome. Runs on erl and on Whitebeam; `run` compares.
%%
%%   main(["hash", Family, Every])                 one chunk in Every; Family may be "all"
%%   main(["show", Family, "Function#Chunk"...])   these
%%
%% A chunk's calls run in a process of their own. If one kills it or does not come back, the chunk is
%% run again with a process a call, so that the outcome of that call is its end.
-module(api_runner).
-export([main/1]).

-define(CHUNK, 250).
-define(PATIENCE, 30000).
-define(MAX_HEAP, 100000000).

main(["hash", Family, Every]) ->
    N = lists:sum([hash(Row, list_to_integer(Every)) || Row <- rows(Family)]),
    io:format("calls ~w~n", [N]);
main(["show", Family | Wanted]) ->
    ok = io:setopts(standard_io, [{encoding, unicode}]),
    [[show(Row, C) || C <- chunks(Row), lists:member(label(Row, C), Wanted)] || Row <- rows(Family)],
    ok.

rows(Family) -> [R || {F, Rows} <- api_table:families(), atom_to_list(F) =:= Family orelse Family =:= "all", R <- Rows].

hash(Row, Every) ->
    Chunks = [C || C <- chunks(Row), Every =:= 1 orelse erlang:phash2({Row, C}, Every) =:= 0],
    lists:sum([begin
                   {Outcomes, Count} = outcomes(Row, C),
                   <<H:64, _/binary>> = erlang:md5(term_to_binary(Outcomes, [deterministic])),
                   io:format("~ts ~.16b~n", [label(Row, C), H]),
                   Count
               end || C <- Chunks]).

show(Row, C) ->
    io:format("== ~ts~n", [label(Row, C)]),
    {Outcomes, _} = outcomes(Row, C),
    Texts = texts(Row),
    [io:format("~ts.~w ~ts~n    ~ts~n", [label(Row, C), I, Texts(I), cut(io_lib:format("~0tp", [O]))]) || {I, O} <- Outcomes].

cut(Text) ->
    Flat = lists:flatten(Text),
    case length(Flat) > 1500 of
        true -> io_lib:format("~ts... (~w characters, hash ~w)", [string:slice(Flat, 0, 1500), length(Flat), erlang:phash2(Flat)]);
        false -> Flat
    end.

label({M, F, Plan}, C) -> lists:flatten(io_lib:format("~w:~w/~w~s#~w", [M, F, api_plan:arity(Plan), api_plan:name(Plan), C])).

texts({M, F, Plan}) ->
    Prepared = api_plan:prepare(Plan),
    fun(I) -> io_lib:format("~w:~w(~ts)", [M, F, lists:join(", ", [api_value:text(A) || A <- api_plan:args(Prepared, I)])]) end.

chunks({_, _, Plan}) -> lists:seq(0, (api_plan:size(Plan) + ?CHUNK - 1) div ?CHUNK - 1).

indices({_, _, Plan}, C) -> lists:seq(C * ?CHUNK, min(api_plan:size(Plan), (C + 1) * ?CHUNK) - 1).

%% {[{Index, Outcome}], Count}: the calls that are not left out (api_skip).
outcomes(Row, C) ->
    Is = indices(Row, C),
    Outcomes = case in_process(Row, Is) of
                   {done, Os} -> Os;
                   {died, _} -> lists:append([one(Row, I) || I <- Is])
               end,
    {Outcomes, length(Outcomes)}.

one(Row, I) ->
    case in_process(Row, [I]) of
        {done, Os} -> Os;
        {died, Why} -> [{I, {died, Why}}]
    end.

in_process(Row, Is) ->
    Me = self(),
    Tag = make_ref(),
    Main = fun() -> Me ! {Tag, calls(Row, Is)} end,
    {Pid, Monitor} = spawn_opt(Main, [monitor, {max_heap_size, #{size => ?MAX_HEAP, kill => true, error_logger => false}}]),
    receive
        {Tag, Outcomes} ->
            erlang:demonitor(Monitor, [flush]),
            {done, Outcomes};
        {'DOWN', Monitor, process, _, Why} -> {died, api_normal:term(Why)}
    after ?PATIENCE ->
        exit(Pid, kill),
        receive {'DOWN', Monitor, process, _, _} -> {died, timeout} end
    end.

calls({M, F, Plan}, Is) ->
    Prepared = api_plan:prepare(Plan),
    lists:append([begin
                      Args = api_plan:args(Prepared, I),
                      case api_skip:skip(M, F, Args) of
                          true -> [];
                          false -> [{I, api_normal:outcome(M, F, Args)}]
                      end
                  end || I <- Is]).
