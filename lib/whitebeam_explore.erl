%% What `whitebeam explore` runs instead of a program's main/1: a test generator of EUnit. Its processes are explored
%% with those of the tests.
-module(whitebeam_explore).
-export([generator/1]).

%% [Module, Function], as strings.
generator([Module, Function]) ->
    case eunit:test({generator, list_to_atom(Module), list_to_atom(Function)}, [no_tty]) of
        ok -> ok;
        error -> exit({tests_failed, list_to_atom(Module), list_to_atom(Function)})
    end.
