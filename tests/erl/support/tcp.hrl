%% Tests of TCP: two connected ends of one program.
-include("networking.hrl").

anonymous(P) when is_port(P) -> port;
anonymous(T) when is_tuple(T) -> list_to_tuple([anonymous(E) || E <- tuple_to_list(T)]);
anonymous([H | T]) -> [anonymous(H) | anonymous(T)];
anonymous(X) -> X.

pair(ListenOptions, ConnectOptions) ->
    {ok, L} = gen_tcp:listen(0, [{ip, ?IP}, {active, false} | ListenOptions]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect(?IP, Port, [{active, false} | ConnectOptions]),
    {ok, S} = gen_tcp:accept(L),
    ok = gen_tcp:close(L),
    {S, C}.
