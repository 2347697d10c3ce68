%% Other nodes and ports, where there are none.
-module(no_nodes).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Own = node(),
    [?S(monitor_node(id(N), id(On))) || {N, On} <- [{a@b, true}, {a@b, false}, {Own, true}, {Own, false}, {Own, x}, {a@b, x}, {"x", true}]],
    [?S(erlang:monitor_node(id(N), id(On), id(O))) ||
        {N, On, O} <- [{a@b, true, []}, {Own, true, [allow_passive_connect]}, {Own, x, [x]}, {a@b, true, [x]}, {Own, true, [allow_passive_connect | x]}, {Own, true, x}]],
    ?S(nodes()), ?S(nodes(hidden)), ?S(is_list(erlang:ports())).
