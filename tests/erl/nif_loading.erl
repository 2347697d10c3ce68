%% erlang:load_nif/2 with good, bad and old libraries (tests/nif/nif_variant.c); two versions of a module.
%% skip replay: it loads libraries that it has written itself, and a replay writes nothing
%% skip repeats: files named after the number of the operating system's process
-module(nif_loading).
-export([main/1]).

-define(P(E), io:format("~s: ~p~n", [??E, E])).

library(Name) -> filename:join(os:getenv("WB_NIFS", "build/release/nif"), Name).

main(_) ->
    bad(), old(), versions(), outlived(), refused(), declared(), elsewhere(), often().

%% A library that comes and goes leaves nothing behind.
often() ->
    Once = fun() -> fresh(), ok = load("nif_variant_0"), forget() end,
    Once(),
    Before = {mappings(), descriptors()},
    [Once() || _ <- lists:seq(1, 200)],
    io:format("often: ~p~n", [{mappings(), descriptors()} =:= Before]).
mappings() ->
    {ok, Maps} = file:read_file("/proc/self/maps"),
    length(binary:matches(Maps, <<"nif_variant_0">>)).
descriptors() ->
    {ok, Open} = file:list_dir("/proc/self/fd"),
    length(Open).

%% A module whose function load(Library, Info) loads the library.
source(More) ->
    ["-module(nif_loaded).", "-export([load/2, which/0, keep/0, private_data/0, local/0, where/0])."] ++ More ++
    ["load(L, I) -> erlang:load_nif(L, I).", "which() -> stub.", "keep() -> stub.", "private_data() -> stub.",
     "local() -> F = fun which/0, {which(), F()}.", "where() -> (fun() -> erlang:load_nif(\"nowhere\", 0) end)()."].

code(Source) ->
    Forms = [begin {ok, Tokens, _} = erl_scan:string(Line), {ok, Form} = erl_parse:parse_form(Tokens), Form end || Line <- Source],
    {ok, nif_loaded, Code} = compile:forms(Forms, [nowarn_nif_inline]),
    Code.

fresh() -> fresh([]).
fresh(More) ->
    forget(),
    {module, _} = code:load_binary(nif_loaded, "nif_loaded.erl", code(source(More))).

forget() ->
    code:purge(nif_loaded), code:delete(nif_loaded), code:purge(nif_loaded).

load(Name) -> load(Name, 0).
load(Name, Info) ->
    case nif_loaded:load(library(Name), Info) of
        {error, {Why, Text}} -> {error, Why, lists:flatten(string:replace(Text, library(Name), "LIBRARY"))};
        Else -> Else
    end.

bad() ->
    fresh(),
    ?P(load("surely_not_there")),
    Good = library("nif_variant_0.so"),
    {ok, Bytes} = file:read_file(Good),
    Scratch = "/tmp/nif_loading_" ++ os:getpid(),
    Write = fun(Content) ->
                    ok = file:write_file(Scratch ++ ".so", Content),
                    {error, {Why, Text}} = nif_loaded:load(Scratch, 0),
                    {Why, lists:flatten(string:replace(Text, Scratch, "SCRATCH"))}
            end,
    ?P(Write(<<>>)), ?P(Write(<<"just some text">>)), ?P(Write(list_to_binary([N * 7 rem 256 || N <- lists:seq(1, 5000)]))),
    ?P(element(1, Write(binary:part(Bytes, 0, 40)))),
    ?P(element(1, Write(<<(binary:part(Bytes, 0, 18))/binary, 183, 0, (binary:part(Bytes, 20, byte_size(Bytes) - 20))/binary>>))),
    ?P(Write(<<127, "ELF", 1, 1, 1, 0:456>>)), ?P(Write(<<127, "ELF", 2, 2, 1, 0:456>>)),
    {ok, Program} = file:read_file("/bin/true"),
    ?P(Write(Program)),
    file:delete(Scratch ++ ".so"),
    Not = fun(Make) ->
                  ok = Make(Scratch ++ ".so"),
                  {error, {Why, Text}} = nif_loaded:load(Scratch, 0),
                  file:delete(Scratch ++ ".so"), file:del_dir(Scratch ++ ".so"),
                  {Why, lists:flatten(string:replace(Text, Scratch, "SCRATCH"))}
          end,
    ?P(Not(fun file:make_dir/1)),
    ?P([Not(fun(F) -> file:make_symlink(To, F) end) || To <- ["/dev/null", "/dev/zero", "/nowhere/at/all", Scratch ++ ".so", "/"]]),
    [io:format("~p ~p~n", [N, load("nif_variant_" ++ integer_to_list(N))]) || N <- [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ?P(load("nif_variant_0", 3)), ?P(load("nif_variant_0", -1)),
    ?P(nif_loaded:which()),
    ?P([try nif_loaded:load(X, 0) catch C:R -> {C, R} end || X <- [atom, 1, [1, a], [a | b], {}, ["nested"], "nul\0byte"]]),
    ?P(load("nif_variant_0")), ?P(nif_loaded:which()), ?P(nif_loaded:private_data()), ?P(nif_loaded:local()),
    ?P(load("nif_variant_0")), ?P(load("nowhere")),
    ?P(nif_loaded:module_info(nifs)),
    ?P(lists:member(nif_loaded, erlang:system_info(taints))).

old() ->
    [begin
         fresh(),
         Name = "nif_variant_" ++ integer_to_list(N),
         io:format("~s ~p ~p~n", [Name, load(Name), nif_loaded:which()])
     end || N <- [10, 11]].

flush() -> receive M -> [M | flush()] after 100 -> [] end.

versions() ->
    fresh(), flush(),
    ?P(load("nif_variant_0", self())),
    R = nif_loaded:keep(),
    Old = fun nif_loaded:which/0,
    {module, _} = code:load_binary(nif_loaded, "nif_loaded.erl", code(source([]))),
    ?P({nif_loaded:which(), Old()}),
    ?P(load("nif_variant_12", 5)), ?P(nif_loaded:which()),
    ?P(load("nif_variant_13", 0)),
    ?P(load("nif_variant_12", 0)),
    ?P({nif_loaded:which(), nif_loaded:private_data(), nif_loaded:local()}),
    ?P(flush()),
    code:purge(nif_loaded),
    ?P(flush()),
    drop(R),
    ?P(flush()),
    S = nif_loaded:keep(),
    forget(),
    ?P(flush()),
    drop(S),
    ?P(flush()),
    ?P(code:is_loaded(nif_loaded)).

%% The library is loaded again while a resource of the first time is there.
outlived() ->
    fresh(), flush(),
    ?P(load("nif_variant_0", self())),
    R = nif_loaded:keep(),
    fresh(),
    ?P(load("nif_variant_0", self())),
    S = nif_loaded:keep(),
    ?P(flush()),
    drop(R),
    ?P(flush()),
    forget(),
    ?P(flush()),
    drop(S),
    ?P(flush()).

%% The last use of a resource.
drop(_) -> erlang:garbage_collect().

%% From on_load, with one library that is content and one that is not.
refused() ->
    forget(),
    OnLoad = fun(Info) -> ["-on_load(init/0).", io_lib:format("init() -> erlang:load_nif(~p, ~w).", [library("nif_variant_0"), Info])] end,
    Load = fun(Info) ->
                   Source = source([lists:flatten(L) || L <- OnLoad(Info)]),
                   show:quiet(fun() -> code:load_binary(nif_loaded, "nif_loaded.erl", code(Source)) end)
           end,
    ?P(Load(9)), ?P(code:is_loaded(nif_loaded)),
    ?P(Load(0)), ?P(nif_loaded:which()),
    ?P(Load(0)), ?P(nif_loaded:private_data()).

declared() ->
    fresh(["-nifs([which/0, keep/0])."]),
    ?P(load("nif_variant_0")), ?P(nif_loaded:which()).

%% load_nif/2 of a module that is no longer current, and from a module that has no business.
elsewhere() ->
    fresh(),
    ?P(erlang:load_nif(library("nif_variant_0"), 0)),
    ?P(nif_loaded:where()).
