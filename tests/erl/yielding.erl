%% Long native functions give way: their results, and what happens to a process in the middle of
%% one: killed, asked, suspended, sent to.
%% args: 9000
%% args gc-stress: 400
%% args asan: 5000
-module(yielding).
-export([main/1]).

main([Arg]) ->
    Size = list_to_integer(Arg),
    {_, M} = spawn_monitor(fun() -> all(Size) end),
    receive {'DOWN', M, _, _, Why} -> io:format("~p~n", [Why]) end.

all(Size) ->
    B = binary:copy(<<"abcdefghi\n">>, Size),
    In = inputs(B),
    %% Everything alone, then everything at once, each in a process of its own.
    Alone = [{Name, result(F)} || {Name, F} <- work(In)],
    [io:format("~s ~p~n", [Name, R]) || {Name, R} <- Alone],
    io:format("together ~p~n", [together(In, Alone)]),
    io:format("counted ~p~n", [reductions(In, Size)]),
    killed(In),
    asked(In),
    suspended(In),
    ended(In),
    io:format("garbage_collect ~p~n", [collected(In)]),
    io:format("guard ~p~n", [[in_guard(L) || L <- [maps:get(list, In), [a | b], []]]]).

%% Made by native functions, so that few safe points pass on the way.
inputs(B) ->
    L = binary_to_list(B),
    T = list_to_tuple(L),
    Keys = binary:matches(B, <<"a">>),
    Map = maps:from_list(Keys),
    #{bin => B, list => L, tuple => T, pairs => Keys, map => Map, ext => term_to_binary({L, Keys, Map, B}),
      big => binary:decode_unsigned(binary:part(B, 0, min(8000, byte_size(B))))}.

work(#{bin := B, list := L, tuple := T, pairs := KL, map := M, ext := E, big := N}) ->
    [{"reverse", fun() -> lists:reverse(L, [end_]) end},
     {"++", fun() -> L ++ KL end},
     {"++ bad", fun() -> [a | lists:reverse(L, tail)] ++ KL end},
     {"--", fun() -> KL -- [{0, 1}, x | lists:reverse(KL)] end},
     {"length", fun() -> {length(L), length(KL)} end},
     {"length bad", fun() -> length(lists:reverse(L, tail)) end},
     {"member", fun() -> {lists:member(z, L), lists:member(hd(KL), L)} end},
     {"keyfind", fun() -> {lists:keyfind(z, 1, KL), lists:keymember(byte_size(B) - 10, 1, KL), lists:keysearch(2, 2, KL)} end},
     {"term_to_binary", fun() -> term_to_binary({L, T, KL, B}) end},
     {"compressed", fun() -> X = term_to_binary({L, KL}, [compressed]), {L, KL} =:= binary_to_term(X) end},
     {"binary_to_term", fun() -> binary_to_term(E) end},
     {"binary_to_term bad", fun() -> binary_to_term(binary:part(E, 0, byte_size(E) - 1)) end},
     {"external_size", fun() -> erlang:external_size({L, KL, B}) end},
     {"phash2", fun() -> {erlang:phash2(L), erlang:phash2(KL), erlang:phash2(B), erlang:phash2(M)} end},
     {"list_to_binary", fun() -> list_to_binary([L, B | B]) end},
     {"list_to_binary bad", fun() -> list_to_binary([L, B, 256]) end},
     {"list_to_bitstring", fun() -> list_to_bitstring([<<1:3>>, L, B]) end},
     {"iolist_size", fun() -> iolist_size([L, B, L]) end},
     {"iolist_to_iovec", fun() -> iolist_to_binary(erlang:iolist_to_iovec([L, B, L])) end},
     {"binary_to_list", fun() -> {binary_to_list(B, 3, byte_size(B) - 5), bitstring_to_list(<<B/binary, 5:4>>)} end},
     {"tuples", fun() -> {list_to_tuple(KL), tuple_to_list(T), setelement(7, T, x),
                          erlang:append_element(T, y), erlang:delete_element(9, T),
                          erlang:insert_element(5, T, z), erlang:make_tuple(100000, q, [{50000, r}])} end},
     {"checksums", fun() -> {erlang:md5([B, L]), erlang:crc32([L, B]), erlang:adler32([B | B])} end},
     {"binary:copy", fun() -> binary:copy(B, 7) end},
     {"match", fun() -> {binary:match(B, <<"zzz">>), binary:match(B, [<<"zz">>, <<"i\nx">>]),
                         binary:matches(B, [<<"bc">>, <<"cde">>]), binary:split(B, <<"\n">>, [global, trim])} end},
     {"unicode", fun() -> {unicode:characters_to_list(B), unicode:characters_to_binary([L, 955, B, [$x | B]]),
                           unicode:characters_to_binary(B, latin1), unicode:characters_to_list([B, <<200>>, L])} end},
     {"re", fun() -> {re:run(B, "h(i)\\n\\z", [{capture, all_but_first}]), re:run(B, "zz"), re:run(L, "x|i$"),
                      re:run(B, "^.*$", [dotall]), re:run(B, "a[^z]*?d", [{offset, byte_size(B) div 2}])} end},
     {"re unicode", fun() -> {re:run(B, "gh", [unicode]), result(fun() -> re:run(<<B/binary, 200>>, "gh", [unicode]) end)} end},
     {"re limit", fun() -> {re:run(lists:sublist(L, 1, 18), "([a-z\\n]+)+Z"),
                            re:run(binary:copy(<<"a">>, 28), "(a+)+b", [report_errors, {match_limit, 300000}])} end},
     {"maps", fun() -> {maps:from_keys(L, 1), maps:merge(M, maps:from_list(lists:reverse(KL))), lists:sort(maps:keys(M)),
                        length(maps:values(M)), map_size(M)} end},
     {"flat_size", fun() -> erts_debug:flat_size({L, T, KL}) end},
     {"bignums", fun() -> X = N * N, W = (1 bsl 300000) + N, {W * W rem 1000000009, X rem 1000000007, X div (N + 1) =:= N - 1, (X + 5) rem N} end},
     {"bignum text", fun() -> S = integer_to_list(N), {length(S), list_to_integer(S) =:= N,
                                                      binary_to_integer(integer_to_binary(N, 16), 16) =:= N} end}].

result(F) ->
    try erlang:phash2(F()) catch C:R -> {C, R} end.

together(In, Alone) ->
    Me = self(),
    Workers = [{Name, spawn_link(fun() -> Me ! {self(), result(F)} end)} || {Name, F} <- work(In)],
    Results = [{Name, receive {P, R} -> R end} || {Name, P} <- Workers],
    [{Name, R, A} || {{Name, R}, {_, A}} <- lists:zip(Results, Alone), R =/= A].

%% Long work costs reductions.
reductions(In, Size) ->
    L = maps:get(list, In),
    {_, R0} = process_info(self(), reductions),
    _ = lists:reverse(L, []),
    {_, R1} = process_info(self(), reductions),
    R1 - R0 > Size div 10.

%% Each is killed at several moments; what it held is gone with it.
killed(In) ->
    R = [kill(F, After) || {_, F} <- work(In), After <- [3]],
    io:format("killed ~p~n", [lists:usort(R)]).

kill(F, After) ->
    {P, M} = spawn_monitor(fun() -> forever(F) end),
    pause(After),
    exit(P, kill),
    receive {'DOWN', M, _, _, Why} -> {Why, is_process_alive(P)} end.

forever(F) -> catch F(), forever(F).

pause(0) -> ok;
pause(N) -> erlang:yield(), pause(N - 1).

asked(#{list := L, bin := B}) ->
    Me = self(),
    P = spawn_link(fun() -> receive go -> ok end, forever(fun() -> lists:reverse(L, []) end) end),
    P ! go,
    Where = [process_info(P, current_function) || _ <- lists:seq(1, 20)],
    Known = [{current_function, {lists, reverse, 2}}, {current_function, {?MODULE, forever, 1}},
             {current_function, {erlang, apply, 2}}],
    io:format("asked ~p~n", [[W || {_, {M, F, _}} = W <- Where, not lists:member(W, Known),
                                   {M, hd(atom_to_list(F))} =/= {?MODULE, $-}]]),
    unlink(P), exit(P, kill),
    %% Messages, links and monitors come in meanwhile.
    Q = spawn_link(fun() -> process_flag(trap_exit, true), Me ! ready, X = lists:reverse(L, []), R = erlang:md5(B),
                            Me ! {length(X), R, inbox()} end),
    receive ready -> ok end,
    [Q ! N || N <- [1, 2, 3]],
    exit(Q, soft),
    receive {N, Md5, Inbox} -> io:format("~p ~p ~p~n", [N, Md5 =:= erlang:md5(B), Inbox =:= [1, 2, 3, {'EXIT', Me, soft}]]) end.

inbox() -> inbox(4).
inbox(0) -> [];
inbox(N) -> receive M -> [M | inbox(N - 1)] end.

suspended(#{list := L}) ->
    Me = self(),
    P = spawn_link(fun() -> Me ! ready, until_told(fun() -> lists:reverse(L, []) end), Me ! length(L) end),
    receive ready -> ok end,
    erlang:suspend_process(P),
    Status = process_info(P, status),
    erlang:resume_process(P),
    P ! enough,
    io:format("suspended ~p ~p~n", [Status, receive N -> N end]).

until_told(F) ->
    R = F(),
    receive enough -> R after 0 -> until_told(F) end.

%% A link's end, an exit signal and a halted group reach a process in the middle of its work.
ended(#{list := L, big := N}) ->
    Work = [fun() -> lists:reverse(L, []) end, fun() -> _ = N * N, erlang:yield() end, fun() -> integer_to_list(N) end,
            fun() -> re:run(binary:copy(<<"a">>, 21), "(a+)+b") end],
    [begin
         {P, M} = spawn_monitor(fun() -> Me = self(), spawn_link(fun() -> Me ! go, pause(3), exit(over) end),
                                         receive go -> forever(F) end end),
         receive {'DOWN', M, _, P, Why} -> io:format("ended ~p~n", [Why]) end
     end || F <- Work].

collected(#{list := L}) ->
    Me = self(),
    P = spawn_link(fun() -> Me ! ready, X = until_told(fun() -> lists:reverse(L, []) end), Me ! erlang:phash2(X) end),
    receive ready -> ok end,
    true = erlang:garbage_collect(P),
    P ! enough,
    receive H -> H =:= erlang:phash2(lists:reverse(L)) end.

in_guard(L) when length(L) > 1000 -> long;
in_guard(L) when length(L) < 1000 -> short;
in_guard(_) -> improper.
