%% A node that tells lies: it makes the handshake as any node, says something that makes no sense, and looks whether the
%% other node ends the link and nothing else. Also handshakes that are wrong.
-module(hostile).
-export([main/1, packets/0]).

-define(FLAGS, 16#D07DF7FBC).

main([Node, Cookie, Rounds]) ->
    [Name, Host] = string:split(atom_to_list(Node), "@"),
    {port, Port, _} = erl_epmd:port_please(Name, Host, 5000),
    rand:seed(exsss, {1, 2, 3}),
    To = {Host, Port, Node, Cookie},
    [no_link(To, What) || What <- handshakes()],
    alive(To),
    [ends(To, What, Packets) || {What, Packets} <- lies()],
    alive(To),
    [fuzzed(To, N) || N <- lists:seq(1, Rounds)],
    alive(To),
    [too_long(To, Length) || Length <- [16#ffffffff, 16#80000000]],
    alive(To),
    flood(To),
    alive(To),
    io:format("hostile: ~b lies, ~b mutated packets: the node lives~n", [length(lies()), Rounds]).

%% --- a node by hand ---------------------------------------------------------------------------------
connect({Host, Port, Node, Cookie}, Us) ->
    {ok, S} = gen_tcp:connect(Host, Port, [binary, {packet, 2}, {active, false}]),
    ok = gen_tcp:send(S, [<<$N, ?FLAGS:64, 77:32, (byte_size(Us)):16>>, Us]),
    {ok, <<"s", Status/binary>>} = gen_tcp:recv(S, 0, 5000),
    true = Status =:= <<"ok">> orelse Status =:= <<"ok_simultaneous">>,
    {ok, <<$N, _:64, Challenge:32, _/binary>>} = gen_tcp:recv(S, 0, 5000),
    _ = Node,
    Mine = 4711,
    ok = gen_tcp:send(S, [<<$r, Mine:32>>, erlang:md5([atom_to_list(Cookie) | integer_to_list(Challenge)])]),
    Digest = erlang:md5([atom_to_list(Cookie) | integer_to_list(Mine)]),
    {ok, <<$a, Digest:16/binary>>} = gen_tcp:recv(S, 0, 5000),
    inet:setopts(S, [{packet, 4}]),
    S.

us(N) -> iolist_to_binary(["liar", integer_to_list(N), "_", os:getpid(), "@localhost"]).

%% Does it answer a monitor of a name that nobody has?
alive(To) ->
    Us = us(erlang:unique_integer([positive])),
    S = connect(To, Us),
    Pid = pid_of(Us),
    ok = gen_tcp:send(S, normal({19, Pid, no_such_name_here, ref(Us)})),
    answered(S),
    gen_tcp:close(S).
answered(S) ->
    case gen_tcp:recv(S, 0, 10000) of
        {ok, <<>>} -> answered(S);
        {ok, Packet} ->
            case binary:match(Packet, <<"noproc">>) of nomatch -> answered(S); _ -> ok end
    end.

ends(To, What, Packets) ->
    S = connect(To, us(erlang:unique_integer([positive]))),
    _ = [gen_tcp:send(S, P) || P <- Packets],
    case drain(S) of
        closed -> ok;
        open -> io:format("the link stays: ~p~n", [What]), halt(1)
    end.
%% The length of a packet, of which a little follows.
too_long(To, Length) ->
    S = connect(To, us(erlang:unique_integer([positive]))),
    inet:setopts(S, [{packet, raw}]),
    ok = gen_tcp:send(S, <<Length:32, 131, 68, 0, 97>>),
    closed = drain(S),
    ok.
%% More atoms than there is room for; the node must keep some for itself.
flood(To) ->
    S = connect(To, us(erlang:unique_integer([positive]))),
    closed = flood(S, 1, 0),
    ok.
flood(_, _, 10000) -> open;
flood(S, N, Packets) ->
    Names = [<<"f", (integer_to_binary(N + K))/binary>> || K <- lists:seq(1, 255)],
    List = [<<(K rem 256), (byte_size(A)), A/binary>> || {K, A} <- lists:enumerate(Names)],
    Header = [<<131, 68, 255>>, binary:copy(<<16#88>>, 127), <<8>>, List],
    case gen_tcp:send(S, [Header, bytes({6, pid_of(us(1)), '', no_such_name_here}), bytes(x)]) of
        ok -> flood(S, N + 255, Packets + 1);
        {error, _} -> true = Packets > 1000, closed
    end.

drain(S) ->
    case gen_tcp:recv(S, 0, 3000) of
        {ok, _} -> drain(S);
        {error, timeout} -> open;
        {error, _} -> closed
    end.

%% Whatever comes of it: the node must live.
fuzzed(To, N) ->
    S = connect(To, us(erlang:unique_integer([positive]))),
    Good = [mutate(P, rand:uniform(4)) || P <- samples(us(N)), rand:uniform(3) > 1],
    _ = [gen_tcp:send(S, P) || P <- Good],
    gen_tcp:close(S).
mutate(P, 0) -> P;
mutate(P, K) when byte_size(P) > 0 ->
    At = rand:uniform(byte_size(P)) - 1,
    <<A:At/binary, B, C/binary>> = P,
    mutate(case rand:uniform(4) of
               1 -> <<A/binary, (B bxor (1 bsl (rand:uniform(8) - 1))), C/binary>>;
               2 -> <<A/binary, C/binary>>;
               3 -> <<A/binary, (rand:uniform(256) - 1), B, C/binary>>;
               4 -> <<A/binary, (rand:uniform(256) - 1), C/binary>>
           end, K - 1);
mutate(P, _) -> P.

%% --- what is said -----------------------------------------------------------------------------------
%% Terms that are not ours to make: the bytes of a pid and a reference of another node.
pid_of(Us) -> {raw, <<88, 119, (byte_size(Us)), Us/binary, 50:32, 1:32, 77:32>>}.
ref(Us) -> {raw, <<90, 3:16, 119, (byte_size(Us)), Us/binary, 77:32, 1:32, 2:32, 3:32>>}.
ref() -> ref(<<"x@y">>).
bytes({raw, B}) -> B;
bytes(T) when is_tuple(T) -> iolist_to_binary([<<104, (tuple_size(T))>> | [bytes(E) || E <- tuple_to_list(T)]]);
bytes(T) -> <<131, B/binary>> = term_to_binary(T, [{minor_version, 2}]), B.
plain(Control, T) -> <<112, 131, (bytes(Control))/binary, 131, (bytes(T))/binary>>.
normal(Control) -> <<131, 68, 0, (bytes(Control))/binary>>.
normal(Control, T) -> <<131, 68, 0, (bytes(Control))/binary, (bytes(T))/binary>>.

samples(Us) ->
    P = pid_of(Us), O = {raw, <<88, 119, 13, "nonode@nohost", 50:32, 0:32, 0:32>>}, R = ref(Us),
    [normal({6, P, '', no_such_name_here}, {a, [1, 2, "xyz"], #{k => <<1, 2, 3>>}}), normal({22, P, O}, hello), normal({1, P, O}), normal({35, 1, P, O}),
     normal({36, 1, P, O}), normal({19, P, no_such_name_here, R}), normal({19, P, rex, R}), normal({20, P, rex, R}), normal({24, P, O}, reason),
     normal({26, P, O}, reason), normal({28, P, O, R}, reason), normal({7, P, O}), normal({33, P, R}, x),
     normal({29, R, P, P, {lists, reverse, 1}, [link, monitor]}, [[1, 2]]), normal({31, R, O, 3, P}),
     <<131, 69, 9:64, 2:64, 1, 8, 5, 3, "abc", 104, 4>>, <<131, 70, 9:64, 1:64, 97, 6, 82, 0, 82, 0, 82, 0, 97, 1>>,
     <<131, 68, 2, 16#88, 0, 7, 3, "foo", 8, 3, "bar", (bytes({6, P, '', {raw, <<82, 0>>}}))/binary, 82, 1>>, plain({6, P, '', no_such_name_here}, x), <<>>].

%% For tests/fuzz: each list is one connection's.
packets() ->
    Us = us(1),
    {ok, [[P] || P <- samples(Us)] ++ [samples(Us)] ++ [Packets || {_, Packets} <- lies()]}.

lies() ->
    Us = us(1),
    P = pid_of(Us),
    [{"no tag", [<<0>>]}, {"another version", [<<130, 68, 0, 97, 1>>]}, {"no such header", [<<131, 99, 0>>]}, {"half a header", [<<131>>]},
     {"no control message", [normal(foo)]}, {"an empty one", [normal({})]}, {"one of no number", [normal({a, P, P})]}, {"one that is not there", [normal({99, P, P})]},
     {"too short", [normal({1, P})]}, {"too long", [normal({1, P, P, P})]}, {"no payload", [normal({22, P, P})]}, {"a payload too many", [normal({1, P, P}, x)]},
     {"link of an atom", [normal({1, a, P})]}, {"to no pid", [normal({22, P, foo}, x)]}, {"to no name", [normal({6, P, '', 17}, x)]}, {"monitor under no reference", [normal({19, P, rex, foo})]},
     {"a pid of four bytes", [<<131, 68, 0, 104, 3, 97, 1, 88, 119, 1, $a>>]}, {"half a term", [<<131, 68, 0, 104, 4, 97, 6, 97, 1>>]},
     {"a payload of 4 GB", [<<131, 68, 0, (bytes({6, P, '', rex}))/binary, 109, 255, 255, 255, 255, 1>>]},
     {"an atom that was not listed", [<<131, 68, 0, (bytes({6, P, '', {raw, <<82, 0>>}}))/binary, 97, 1>>]},
     {"an empty place in the cache", [<<131, 68, 1, 0, 17, (bytes({6, P, '', {raw, <<82, 0>>}}))/binary, 97, 1>>]},
     {"a list of atoms without end", [<<131, 68, 255, 1, 2, 3>>]}, {"an atom longer than its packet", [<<131, 68, 1, 8, 0, 200, "abc">>]}, {"an atom of no characters", [<<131, 68, 1, 8, 0, 2, 255, 254, 97, 1>>]},
     {"a fragment of nothing", [<<131, 70, 1:64, 1:64, 97, 1>>]}, {"fragment 0", [<<131, 69, 1:64, 0:64, 0, 97, 1>>]}, {"fragments out of order", [<<131, 69, 1:64, 5:64, 0, 97, 1>>, <<131, 70, 1:64, 3:64, 97, 1>>]},
     {"the same twice", [<<131, 69, 1:64, 5:64, 0, 97, 1>>, <<131, 69, 1:64, 5:64, 0, 97, 1>>]}, {"half a fragment", [<<131, 69, 1:64>>]}, {"fragments without end", [<<131, 69, 1:64, (1 bsl 60):64, 0, 97, 1>>]},
     {"a slot that the cache has not", [<<131, 68, 1, 15, 255, (bytes({6, P, '', {raw, <<82, 1>>}}))/binary, 97, 1>>]}, {"fragments of nonsense", [<<131, 69, 1:64, 2:64, 0, 104, 9>>, <<131, 70, 1:64, 1:64, 97, 1>>]},
     {"a reply to nobody's request, of no pid", [normal({31, ref(), P, 0, 17})]}, {"a request without its call", [normal({29, ref(Us), P, P, foo, []}, [])]}, {"options without end", [normal({29, ref(Us), P, P, {a, b, 0}, {raw, <<108, 0, 0, 0, 1, 97, 1, 97, 2>>}}, [])]}].

%% --- handshakes that fail ---------------------------------------------------------------------------
handshakes() -> [noise, empty, name_without_host, old_version, no_flags, wrong_cookie, long_name, silent].
no_link({Host, Port, _, Cookie}, What) ->
    {ok, S} = gen_tcp:connect(Host, Port, [binary, {packet, 2}, {active, false}]),
    Us = us(erlang:unique_integer([positive])),
    N = fun(Flags, Name) -> gen_tcp:send(S, [<<$N, Flags:64, 77:32, (byte_size(Name)):16>>, Name]) end,
    _ = case What of
            noise -> gen_tcp:send(S, rand:bytes(300));
            empty -> gen_tcp:send(S, <<>>);
            name_without_host -> N(?FLAGS, <<"liar">>);
            old_version -> gen_tcp:send(S, [<<$n, 5:16, 0:32>>, Us]);
            no_flags -> N(0, Us);
            long_name -> N(?FLAGS, binary:copy(<<"x">>, 60000));
            silent -> ok;
            wrong_cookie ->
                N(?FLAGS, Us),
                {ok, <<"s", _/binary>>} = gen_tcp:recv(S, 0, 5000),
                {ok, <<$N, _/binary>>} = gen_tcp:recv(S, 0, 5000),
                gen_tcp:send(S, [<<$r, 1:32>>, erlang:md5([atom_to_list(Cookie), "wrong"])])
        end,
    case What =:= silent orelse drain(S) of
        open -> io:format("a handshake goes on: ~p~n", [What]), halt(1);
        _ -> gen_tcp:close(S)
    end.
