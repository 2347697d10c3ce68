%% Compiles suites with the options of every row of flags.tsv:
%%
%%   erl -run variant_maker main FLAGS OUT WORKERS -extra -I DIR ... -- SUITE.erl...
%%
%% writes OUT/OWNER-VARIANT/SUITE.beam, or SUITE.refused with what the compiler says of it. What is there
%% and newer than its source stays.
-module(variant_maker).
-export([main/1]).

main([Flags, Out, Workers]) ->
    {Includes, ["--" | Suites]} = lists:splitwith(fun(A) -> A =/= "--" end, init:get_plain_arguments()),
    Common = [{i, Dir} || Dir <- Includes, Dir =/= "-I"],
    Jobs = [{Suite, filename:join(Out, Variant), Common ++ Options} || Suite <- Suites, {Variant, Options} <- rows(Flags)],
    N = list_to_integer(Workers),
    Shares = [[Job || {I, Job} <- lists:zip(lists:seq(1, length(Jobs)), Jobs), I rem N =:= K] || K <- lists:seq(0, N - 1)],
    Pids = [spawn_monitor(fun() -> lists:foreach(fun compile/1, Share) end) || Share <- Shares],
    [receive {'DOWN', Ref, _, _, normal} -> ok end || {_, Ref} <- Pids],
    halt(0).

rows(File) ->
    {ok, Text} = file:read_file(File),
    [{Owner ++ "-" ++ Name, [list_to_atom(O) || O <- string:lexemes(Options, " ")]}
     || [C | _] = Line <- string:split(unicode:characters_to_list(Text), "\n", all), C =/= $#,
        [Name, Owner, Options] <- [string:split(Line, "\t", all)]].

compile({Suite, Dir, Options}) ->
    To = filename:join(Dir, filename:rootname(filename:basename(Suite))),
    Made = lists:max([filelib:last_modified(To ++ ".beam"), filelib:last_modified(To ++ ".refused")]),
    Core = [from_core || filename:extension(Suite) =:= ".core"],
    Made > filelib:last_modified(Suite) orelse
        case compile:file(Suite, Core ++ [binary, return_errors, {outdir, Dir} | Options]) of
            {ok, _, Beam} -> write(To ++ ".beam", Beam);
            Refused -> write(To ++ ".refused", io_lib:format("~p~n", [Refused]))
        end.

write(File, Data) ->
    ok = filelib:ensure_dir(File),
    ok = file:write_file(File, Data).
