# inet:setsockname, setpeername; inet:ifset, on the one interface of a network of its own.
# needs: unshare
# quick
cat > names.erl <<'F'
-module(names).
-export([go/0]).
t(N, F) -> io:format("~p: ~0p~n", [N, try F() catch C:R -> {C, R} end]).
hide({ok, {_, P}}) when is_integer(P), P > 1024 -> {ok, port};
hide({ok, [{_, _}]}) -> {ok, port};
hide(R) -> R.
go() ->
    t(down, fun() -> inet:ifget("lo", [flags]) end),
    t(up, fun() -> [inet:ifset("lo", [{addr, {127, 0, 0, 1}}, {flags, [up]}]), inet:ifget("lo", [flags, addr])] end),
    sockets(), interface(), halt().
sockets() ->
    {ok, L} = gen_tcp:listen(0, []), {ok, P} = inet:port(L),
    {ok, A} = gen_tcp:connect({127, 0, 0, 1}, P, []), {ok, B} = gen_tcp:accept(L),
    {ok, U} = gen_udp:open(0, []),
    [begin
         t({N, set}, fun() -> [inet:setsockname(S, {{1, 2, 3, 4}, 5}), inet:sockname(S), inet:setpeername(S, {{4, 3, 2, 1}, 6}), inet:peername(S), hide(prim_inet:socknames(S)), hide(prim_inet:peernames(S))] end),
         t({N, six}, fun() -> [inet:setsockname(S, {{1, 2, 3, 4, 5, 6, 7, 8}, 5}), inet:sockname(S), inet:setpeername(S, {{4, 3, 2, 1, 5, 6, 7, 8}, 6}), inet:peername(S)] end),
         t({N, others}, fun() -> [inet:setsockname(S, {local, "x"}), inet:sockname(S), inet:setpeername(S, {any, 6}), inet:peername(S), inet:setpeername(S, {loopback, 6}), inet:peername(S), inet:setpeername(S, {undefined, {loopback, 6}}), inet:setsockname(S, x), inet:setsockname(S, {{1, 2, 3, 4}, 70000})] end),
         t({N, sends}, fun() -> case N of udp -> gen_udp:send(U, {127, 0, 0, 1}, P, "x"); listen -> no; _ -> gen_tcp:send(S, "x") end end),
         t({N, none}, fun() -> [inet:setsockname(S, undefined), hide(inet:sockname(S)), inet:setpeername(S, undefined), hide(inet:peername(S))] end)
     end || {N, S} <- [{listen, L}, {connected, A}, {accepted, B}, {udp, U}]],
    gen_tcp:close(A),
    t(closed, fun() -> [inet:setsockname(A, {{1, 2, 3, 4}, 5}), inet:setpeername(A, undefined)] end),
    {ok, R} = prim_inet:open(tcp, inet, stream),
    t(fresh, fun() -> [inet:setsockname(R, {{1, 2, 3, 4}, 5}), inet:sockname(R), inet:setpeername(R, {{1, 2, 3, 4}, 5}), inet:peername(R)] end).
interface() ->
    Now = fun() -> inet:ifget("lo", [flags, mtu, addr, netmask]) end,
    [t({ifset, O}, fun() -> [inet:ifset("lo", O), Now()] end)
     || O <- [[], [{mtu, 64000}], [{mtu, 65536}], [{addr, {127, 0, 0, 2}}], [{addr, {127, 0, 0, 1}}, {netmask, {255, 255, 0, 0}}], [{netmask, {255, 0, 0, 0}}], [{flags, [up, running]}], [{flags, []}],
              [{broadaddr, {0, 0, 0, 0}}], [{dstaddr, {127, 0, 0, 1}}], [{hwaddr, [0, 0, 0, 0, 0, 0]}], [{hwaddr, [1]}], [{addr, {0, 0, 0, 0, 0, 0, 0, 1}}],
              [{addr, any}], [{foo, 1}], [{mtu, a}], [{mtu, -1}], [{flags, [broadcast]}], [{flags, [no_broadcast]}], [{flags, [down]}], [{flags, [up]}]]],
    [t({ifset, N}, fun() -> inet:ifset(N, [{mtu, 1500}]) end) || N <- ["nosuch", "averyveryverylongname", "", <<"lo">>, lo, [$l, $o, 0]]],
    t(after_all, Now).
F
erlc names.erl
unshare -n true 2> /dev/null || { echo "no namespaces here"; exit 0; }
unshare -n "$(command -v erl)" -noshell -s names go
