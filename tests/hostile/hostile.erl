%% Runs in the machine under test: loads mutants and calls what they export with odd arguments, all
%% functions of a mutant at once, each in a process with a limit of memory and of time. The machine must
%% survive: a mutant is refused, or runs to some end.
%%
%%   main([bytes, ProgressFile, Seed, First, Last | BeamFiles])   mutants made here (byte_mutants)
%%   main([terms, ProgressFile, First, File ...])                 mutants from files (code_mutants)
%%
%% Each mutant is named in ProgressFile before it is touched, and its outcome written in a line that begins
%% with a space: after a crash the last line says who it was.
-module(hostile).
-export([main/1]).

-define(Patience, 200).   % ms for all functions of a mutant
-define(MaxArity, 3).
-define(Heap, 500000).    % words

main(["bytes", Progress, Seed, From, To, Skip | Files]) ->
    Run = fun(Log) ->
              Mutants = [{F, N} || F <- Files, N <- lists:seq(list_to_integer(From), list_to_integer(To))],
              bytes(drop(list_to_integer(Skip), Mutants), list_to_integer(Seed), Log, none)
          end,
    run(Progress, Run);
main(["terms", Progress, Skip, File]) ->
    {ok, Bytes} = file:read_file(File),
    Run = fun(Log) ->
              [attempt(Module, What, Beam, Log)
               || {Module, What, Beam} <- drop(list_to_integer(Skip), binary_to_term(Bytes))]
          end,
    run(Progress, Run).

drop(N, List) -> lists:nthtail(min(N, length(List)), List).

run(Progress, Run) ->
    process_flag(trap_exit, true),
    {ok, Log} = file:open(Progress, [raw, append]),
    Sink = spawn(fun sink/0),
    put(sink, Sink),
    warm_up(),
    put(base, processes()),
    _ = Run(Log),
    ok = file:write(Log, "done\n"),
    erlang:halt(0).

%% What the machine starts when it is first asked for must not be killed with a mutant's processes: others
%% wait for its answer, on BEAM too.
warm_up() ->
    true = lists:all(fun(Service) -> is_pid(whereis(Service)) end,
                     [init, code_server, erts_code_purger, erl_prim_loader, file_server_2, logger]),
    {ok, Bytes} = file:read_file(code:which(?MODULE)),
    {ok, _} = file:get_cwd(),
    _ = zlib:uncompress(zlib:compress(Bytes)),
    _ = lists:foldl(fun(M, _) -> code:ensure_loaded(M) end, ok, [rand, beam_lib, lists, byte_mutants]),
    ok.

%% --- mutants of bytes ------------------------------------------------------------------------------------
bytes([], _, _, _) -> ok;
bytes([{File, N} | Rest], Seed, Log, Prepared) ->
    {_, Chunks} = Now = case Prepared of
                            {File, _} -> Prepared;
                            _ -> {ok, Bytes} = file:read_file(File), {File, byte_mutants:prepare(Bytes)}
                        end,
    {What, Mutant} = byte_mutants:mutant(Chunks, {Seed, erlang:phash2(filename:basename(File)), N}),
    Module = list_to_atom("mutant_" ++ filename:basename(File, ".beam")),
    attempt(Module, {File, N, What}, Mutant, Log),
    bytes(Rest, Seed, Log, Now).

%% --- one mutant --------------------------------------------------------------------------------------------
attempt(Module, What, Beam, Log) ->
    ok = file:write(Log, io_lib:format("~0p~n", [What])),
    Outcomes = case code:load_binary(Module, "mutant.beam", Beam) of
                   {module, Module} ->
                       Ends = call_all(Module),
                       code:delete(Module),
                       code:purge(Module),
                       [loaded | Ends];
                   {error, badfile} -> [refused];
                   {error, _} -> [not_loaded]  % its on_load function failed
               end,
    ok = file:write(Log, ["  ", lists:join(" ", [atom_to_list(O) || O <- Outcomes]), "\n"]).

call_all(Module) ->
    Sink = get(sink),
    Calls = [{F, arguments(F, A, Try)} || {F, A} <- functions(Module), A =< ?MaxArity, Try <- [1, 2]],
    Running = maps:from_list([{spawn_call(Module, F, As, Sink), true} || {F, As} <- Calls]),
    Outcomes = collect(Running, erlang:monotonic_time(millisecond) + ?Patience, []),
    end_strangers(),
    flush(),
    Outcomes.

functions(Module) ->
    try erlang:get_module_info(Module, exports)
    catch _:_ -> []
    end.

spawn_call(Module, F, As, Sink) ->
    {_, Ref} = spawn_opt(fun() ->
                             group_leader(Sink, self()),
                             try apply(Module, F, As) of
                                 _ -> exit(returned)
                             catch
                                 throw:_ -> exit(threw);
                                 exit:returned -> exit(returned);
                                 Class:Reason:Stack -> exit(summary(Class, Reason, Stack))
                             end
                         end,
                         [monitor, {max_heap_size, #{size => ?Heap, kill => true, error_logger => false}}]),
    Ref.

summary(Class, Reason, Stack) when is_list(Stack) ->
    _ = erlang:phash2({Reason, Stack}),
    case Reason of
        _ when Class =:= exit -> exited;
        A when is_atom(A) -> A;
        T when tuple_size(T) > 0, is_atom(element(1, T)) -> element(1, T);
        _ -> error
    end.

collect(Running, _, Outcomes) when map_size(Running) =:= 0 -> Outcomes;
collect(Running, Until, Outcomes) ->
    receive
        {'DOWN', Ref, process, _, Why} when is_map_key(Ref, Running) ->
            collect(maps:remove(Ref, Running), Until, [outcome(Why) | Outcomes])
    after max(0, Until - erlang:monotonic_time(millisecond)) ->
        [timeout || _ <- maps:keys(Running)] ++ Outcomes
    end.

outcome(returned) -> returned;
outcome(killed) -> killed;
outcome(badfile) -> lied;
outcome(A) when is_atom(A) -> ended;
outcome(_) -> ended.

%% Kills the calls that still run and whatever they have started.
end_strangers() ->
    case processes() -- get(base) of
        [] -> ok;
        Strangers ->
            Refs = [begin exit(P, kill), monitor(process, P) end || P <- Strangers],
            [receive {'DOWN', Ref, _, _, _} -> ok end || Ref <- Refs],
            end_strangers()
    end.

flush() -> receive _ -> flush() after 0 -> ok end.

%% --- odd arguments -------------------------------------------------------------------------------------------
arguments(main, 1, _) -> [[]];
arguments(F, Arity, Try) ->
    Odd = odd(),
    [element(1 + erlang:phash2({F, Arity, Try, I}, tuple_size(Odd)), Odd) || I <- lists:seq(1, Arity)].

odd() ->
    {[], [a, b], [1, 2, 3], "text", [{a, 1}, {b, 2}], [<<"bin">> | tail], {}, {a, b}, {1, 2, 3}, a, ok, true,
     0, 1, -1, 7, 1 bsl 40, 1 bsl 80, 1.5, <<>>, <<"binary">>, <<1:3>>, binary:copy(<<7>>, 100),
     #{}, #{a => 1, b => 2}, fun(X) -> X end, fun lists:reverse/1, self(), make_ref(),
     maps:from_list([{I, I} || I <- lists:seq(1, 40)])}.

%% A group leader that swallows everything.
sink() ->
    receive
        {io_request, From, As, {setopts, _}} -> From ! {io_reply, As, ok};
        {io_request, From, As, Request} when element(1, Request) =:= put_chars -> From ! {io_reply, As, ok};
        {io_request, From, As, _} -> From ! {io_reply, As, eof};
        _ -> ok
    end,
    sink().
