%% system_info(snifs): the native functions of OTP, less those that are not here (docs/compatibility.md).
-module(native_list).
-export([main/1]).

main(_) ->
    Missing = [{erts_debug, dist_ext_to_term, 2}, {prim_file, internal_normalize_utf8, 1}],
    [io:format("~w~n", [F]) || F <- lists:sort(erlang:system_info(snifs)) -- Missing],
    io:format("~p~n", [[{F, A} || {erlang, F, A} <- erlang:system_info(snifs), not erlang:is_builtin(erlang, F, A)]]).
