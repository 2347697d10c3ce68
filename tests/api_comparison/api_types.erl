%% The classes of a function's arguments, from its -spec in the module's debug information; `any`
%% for each where there is none. Runs on erl, when the table of calls is made.
-module(api_types).
-export([classes/2, load/1]).

%% {Specs, Types} of a module.
load(M) ->
    File = case code:which(M) of
               preloaded -> filename:join(code:lib_dir(erts, ebin), atom_to_list(M) ++ ".beam");
               F -> F
           end,
    case beam_lib:chunks(File, [abstract_code]) of
        {ok, {_, [{_, {_, Forms}}]}} ->
            {maps:from_list([{spec_name(N), Cs} || {attribute, _, spec, {N, Cs}} <- Forms]),
             maps:from_list([{{N, length(Vs)}, {T, Vs}} || {attribute, _, K, {N, T, Vs}} <- Forms, K =:= type orelse K =:= opaque]), M};
        _ -> {#{}, #{}, M}
    end.

spec_name({F, A}) -> {F, A};
spec_name({_, F, A}) -> {F, A}.

%% [[Class]]: one list of classes a clause of the spec.
classes({Specs, _, _} = Module, {F, A}) ->
    case Specs of
        #{{F, A} := Clauses} -> [clause(C, Module) || C <- Clauses];
        _ -> [lists:duplicate(A, any)]
    end.

clause({type, _, bounded_fun, [Fun, Constraints]}, Module) ->
    Vars = maps:from_list([{V, T} || {type, _, constraint, [_, [{var, _, V}, T]]} <- Constraints]),
    clause(Fun, Module, Vars);
clause(Fun, Module) -> clause(Fun, Module, #{}).

clause({type, _, 'fun', [{type, _, product, Args}, _]}, Module, Vars) -> [class(T, {Module, Vars, 6}) || T <- Args].

class(_, {_, _, 0}) -> any;
class({ann_type, _, [_, T]}, E) -> class(T, E);
class({paren_type, _, [T]}, E) -> class(T, E);
class({var, _, V}, {Mod, Vars, D} = E) ->
    case Vars of
        #{V := T} -> class(T, {Mod, maps:remove(V, Vars), D - 1});
        _ -> _ = E, any
    end;
class({atom, _, A}, _) -> {lit, A};
class({integer, _, I}, _) -> {lit, I};
class({op, _, '-', {integer, _, I}}, _) -> {lit, -I};
class({type, _, union, Ts}, E) -> {union, [class(T, E) || T <- Ts]};
class({type, _, tuple, any}, _) -> tuple;
class({type, _, tuple, Ts}, E) -> {tuple, [class(T, deeper(E)) || T <- Ts]};
class({type, _, map, any}, _) -> map;
class({type, _, map, Fields}, E) -> map_class([F || {type, _, _, [{atom, _, _}, _]} = F <- Fields], E);
class({type, _, list, [T]}, E) -> list_of(class(T, deeper(E)));
class({type, _, nonempty_list, [T]}, E) -> {cons, class(T, deeper(E))};
class({type, _, 'fun', [{type, _, product, As}, _]}, _) -> {'fun', length(As)};
class({type, _, N, _}, _) when N =:= list; N =:= maybe_improper_list; N =:= nonempty_list -> list;
class({type, _, N, _}, _) -> builtin(N);
class({remote_type, _, [{atom, _, M}, {atom, _, N}, Args]}, {{_, _, Own} = Mod, Vars, D} = E) ->
    case {abstract(M, N), M} of
        {none, Own} -> class({user_type, 0, N, Args}, E);
        {none, unicode} -> chardata;
        {none, _} -> class({user_type, 0, N, Args}, {foreign(M, Mod), Vars, D - 1});
        {C, _} -> C
    end;
class({user_type, _, N, Args}, {{_, Types, M} = Mod, Vars, D}) ->
    Key = {N, length(Args)},
    case {abstract(M, N), Types} of
        {none, #{Key := {T, Params}}} ->
            Bound = maps:from_list([{V, bind(P, Vars)} || {{var, _, V}, P} <- lists:zip(Params, Args)]),
            class(T, {Mod, Bound, D - 1});
        {none, _} -> any;
        {C, _} -> C
    end;
class(_, _) -> any.

deeper({Mod, Vars, D}) -> {Mod, Vars, D - 1}.
foreign(M, _) -> case code:which(M) of non_existing -> {#{}, #{}, M}; _ -> load_cached(M) end.

load_cached(M) ->
    case get({api_types, M}) of
        undefined -> L = load(M), put({api_types, M}, L), L;
        L -> L
    end.

bind({var, _, V} = T, Vars) -> maps:get(V, Vars, T);
bind(T, _) -> T.

map_class([], _) -> map;
map_class(Fields, E) -> {map, [{K, class(T, deeper(E))} || {type, _, _, [{atom, _, K}, T]} <- Fields]}.

list_of(char) -> text;
list_of(C) -> {list, C}.

builtin(N) ->
    case N of
        integer -> int; non_neg_integer -> nat; pos_integer -> nat; range -> nat; arity -> position; neg_integer -> int;
        char -> char; byte -> byte; float -> float; number -> number; atom -> atom; module -> {lit, lists}; node -> {lit, nonode@nohost};
        boolean -> bool; string -> text; nonempty_string -> text; binary -> bitstring; bitstring -> bitstring; nonempty_binary -> binary;
        nil -> {lit, []}; iolist -> iolist; iodata -> iolist; function -> 'fun'; 'fun' -> 'fun'; pid -> pid; reference -> ref; port -> port;
        map -> map; tuple -> tuple; timeout -> {union, [{lit, 0}, {lit, infinity}]}; identifier -> ref; mfa -> {tuple, [{lit, lists}, {lit, map}, {lit, 2}]};
        _ -> any
    end.

%% Types that a module builds: values of api_made; and what tables, patterns and texts deserve.
abstract(ets, T) when T =:= table; T =:= tab; T =:= tid -> table;
abstract(ets, T) when T =:= match_spec; T =:= comp_match_spec -> match_spec;
abstract(ets, match_pattern) -> match_pattern;
abstract(gb_trees, tree) -> {made, gb_tree};
abstract(gb_trees, iter) -> {made, gb_tree_iter};
abstract(gb_sets, set) -> {made, gb_set};
abstract(gb_sets, iter) -> {made, gb_set_iter};
abstract(sets, set) -> {made, set};
abstract(ordsets, ordset) -> {made, ordset};
abstract(orddict, orddict) -> {made, orddict};
abstract(dict, dict) -> {made, dict};
abstract(queue, queue) -> {made, queue};
abstract(array, array) -> {made, array};
abstract(rand, state) -> {made, rand_state};
abstract(maps, T) when T =:= iterator; T =:= iterator_order -> {made, map_iter};
abstract(calendar, datetime) -> {made, datetime};
abstract(calendar, date) -> {made, date};
abstract(calendar, time) -> {made, time};
abstract(re, mp) -> {made, compiled_regex};
abstract(binary, cp) -> {made, compiled_pattern};
abstract(atomics, atomics_ref) -> {lit, {'$make', atomics, 3}};
abstract(counters, counters_ref) -> {lit, {'$make', counters, 3}};
abstract(unicode, T) when T =:= chardata; T =:= charlist; T =:= external_chardata; T =:= latin1_chardata -> chardata;
abstract(uri_string, uri_string) -> chardata;
abstract(_, _) -> none.
