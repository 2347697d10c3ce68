%% What happens when a module comes in: on_load, nifs that nobody loaded, attributes, md5, code:*.
-module(loading).
-export([main/1, native/1, setup/0]).
-include("show.hrl").
-on_load(setup/0).
-nifs([native/1]).
-author("somebody").
-vsn("1.2.3").

setup() -> persistent_term:put(loading_was_loaded, yes), ok.

native(_) -> erlang:nif_error(no_library).

main(_Args) ->
    ?S(persistent_term:get(loading_was_loaded, no)), ?S(native(1)), ?S(proplists:get_value(author, ?MODULE:module_info(attributes))), ?S(proplists:get_value(vsn, ?MODULE:module_info(attributes))),
    ?S(byte_size(?MODULE:module_info(md5))), ?S(lists:member({native, 1}, ?MODULE:module_info(functions))), ?S(lists:sort(?MODULE:module_info(exports))), ?S(is_list(?MODULE:module_info(compile))), ?S(?MODULE:module_info(nothing)),
    ?S(erlang:module_loaded(?MODULE)), ?S(erlang:module_loaded(no_such_module_x)), ?S(erlang:function_exported(?MODULE, main, 1)), ?S(erlang:check_old_code(?MODULE)), ?S(lists:member(?MODULE, erlang:loaded())),
    ?S(calls_missing_module()), ?S(no_such_module_y:f(1)), ?S(erlang:get_module_info(lists, module)), ?S(erlang:get_module_info(no_such_module_z)).

calls_missing_module() -> try no_such_module_x:f() catch error:undef:S -> setelement(4, hd(S), []) end.
