%% Files in memory: file:open(Data, [ram]), what erl_tar does with binaries, and the driver behind both.
%% skip repeats: files named after the number of the operating system's process
-module(ram_files).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [?S({M, used(M, ["abc", <<"defg">>])}) || M <- [[], [binary]]],
    ?S(read_only()), ?S(past_the_end()), ?S(closed()), ?S(copied()), ?S(tar()),
    [?S({O, raw(O)}) || O <- [[], [binary]]],
    ?S(how_it_is_spawned()).

used(Modes, Data) ->
    {ok, F} = file:open(Data, [ram, read, write | Modes]),
    [file:read(F, 4), file:read(F, 100), file:read(F, 1), file:read(F, 0), file:write(F, [<<"hi">>, $!]), file:position(F, {bof, 2}),
     file:read(F, 4), file:position(F, {cur, -1}), file:position(F, {eof, -2}), file:truncate(F), ram_file:get_size(F), ram_file:get_file(F),
     file:pwrite(F, [{20, "x"}, {0, <<"AB">>}]), file:pread(F, [{0, 4}, {18, 5}, {30, 1}]), file:pread(F, 19, 1), file:sync(F), file:datasync(F),
     file:advise(F, 0, 0, normal), file:allocate(F, 0, 100), ram_file:get_file(F), file:close(F)].

read_only() ->
    {ok, F} = file:open(<<"only">>, [ram, binary]),
    [file:write(F, "x"), file:pwrite(F, 0, "x"), file:truncate(F), file:read(F, 10), file:position(F, {cur, -9}), file:position(F, -1), file:position(F, 1 bsl 31),
     file:read(F, -1), file:close(F)].

past_the_end() ->
    {ok, F} = file:open([], [ram, read, write]),
    [file:position(F, 10), file:read(F, 2), file:write(F, ""), ram_file:get_size(F), file:position(F, 12), file:truncate(F), ram_file:get_size(F), ram_file:get_file(F)].

closed() ->
    {ok, F} = file:open("x", [ram]),
    [file:close(F), file:read(F, 1), file:close(F), file:open({no, data}, [ram]), file:open("x", [ram, append]), file:open([a, b], [ram])].

copied() ->
    {ok, F} = file:open(lists:duplicate(100000, $a), [ram, read, binary]), {ok, G} = file:open([], [ram, write, read]),
    [file:copy(F, G), ram_file:get_size(G), file:close(F), file:close(G)].

tar() ->
    Name = "ram_files.tmp." ++ os:getpid() ++ ".tar",
    ok = erl_tar:create(Name, [{"a.txt", <<"first">>}, {"d/b.txt", binary:copy(<<"second ">>, 1000)}], [compressed]),
    {ok, Bin} = file:read_file(Name),
    ok = file:delete(Name),
    {ok, Files} = erl_tar:extract({binary, Bin}, [memory, compressed]),
    {erl_tar:table({binary, Bin}, [compressed]), [{N, byte_size(B), erlang:md5(B)} || {N, B} <- Files], erl_tar:extract({binary, <<"no tar">>}, [memory])}.

raw(Options) ->
    P = open_port({spawn, "ram_file_drv"}, Options),
    Do = fun(Command) -> true = port_command(P, Command), receive {P, What} -> What after 100 -> silence end end,
    R = [Do(C) || C <- [[2, <<5:32>>], [1, <<3:32>>, "hello world"], 37, 30, [2, <<5:32>>], [2, <<-1:32>>], [3, <<3:32, 9:32>>], [3, <<-30:32, 1:32>>], [4, "abc"], [4],
                        [3, <<100:32, 0:32>>], [14], [37], [17, <<2:32, 2:32>>], [17, <<-2:32, 2:32>>], [17, <<2:32, -2:32>>], [18, <<2:32>>, "ZZ"], [18, <<-1:32>>, "q"],
                        [38], [39], [9], [19], [1, <<0:32>>, "other"], [2, <<2:32>>], [4, "x"], [14], [30], [1], [77], []], C <- [if is_integer(C) -> [C]; true -> C end]],
    I = [erlang:port_info(P, X) || X <- [name, input, output, os_pid]],
    {R, I, show:quiet(fun() -> port_control(P, 1, []) end), port_close(P), show:quiet(fun() -> port_command(P, [37]) end)}.

how_it_is_spawned() ->
    [begin P = open_port(How, []), N = erlang:port_info(P, name), port_close(P), N end || How <- [{spawn_driver, "ram_file_drv"}, {spawn, <<"ram_file_drv">>}, {spawn, "ram_file_drv x"}]]
    ++ [show:quiet(fun() -> open_port({spawn_driver, "no_such_driver_at_all"}, []) end)].
