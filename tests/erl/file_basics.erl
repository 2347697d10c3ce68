%% Files and directories: whole files, open files in every mode, links, info, errors.
%% skip repeats: files named after the number of the operating system's process
-module(file_basics).
-export([main/1]).

main(_) ->
    Dir = filename:join("/tmp", "whitebeam_files_" ++ os:getpid()),
    ok = file:make_dir(Dir),
    {ok, Before} = file:get_cwd(),
    ok = file:set_cwd(Dir),
    try whole(), opened(), raw(), names(), info(), missing(), natives() after
        file:set_cwd(Before),
        file:del_dir_r(Dir)
    end,
    p(gone, filelib:is_dir(Dir)).

p(What, Value) -> io:format("~p: ~tp~n", [What, Value]).

whole() ->
    p(write, file:write_file("a", ["list", <<"binary">>, $\n])),
    p(read, file:read_file("a")),
    p(append, file:write_file("a", "more\n", [append])),
    p(again, file:read_file("a")),
    p(exclusive, file:write_file("a", "x", [exclusive])),
    p(big, begin ok = file:write_file("big", binary:copy(<<"0123456789">>, 100000)),
                 {ok, B} = file:read_file("big"), {byte_size(B), erlang:phash2(B)} end),
    p(copy, file:copy("big", "copy")),
    p(consult, begin ok = file:write_file("terms", "{a, 1}.\n[\"b\", <<1,2>>].\n"), file:consult("terms") end),
    p(bad_terms, begin ok = file:write_file("bad", "{a, 1\n"), file:consult("bad") end),
    p(unicode, begin ok = file:write_file("zażółć", "x"), lists:sort(element(2, file:list_dir("."))) end).

opened() ->
    {ok, F} = file:open("lines", [read, write]),
    p(io_write, io:format(F, "one ~p~ntwo~nthree", [x])),
    p(position, file:position(F, bof)),
    p(get_line, io:get_line(F, "")),
    p(read_line, file:read_line(F)),
    p(read, file:read(F, 3)),
    p(rest, file:read(F, 100)),
    p(eof, {file:read(F, 1), io:get_line(F, "")}),
    p(at, file:position(F, cur)),
    p(pread, file:pread(F, 4, 5)),
    p(pwrite, file:pwrite(F, 0, "ONE")),
    p(pread_list, file:pread(F, [{0, 3}, {100, 3}])),
    p(truncate, begin {ok, _} = file:position(F, 5), file:truncate(F) end),
    p(close, file:close(F)),
    p(closed, file:read(F, 1)),
    p(content, file:read_file("lines")),
    {ok, U} = file:open("utf8", [write, {encoding, utf8}]),
    io:format(U, "~ts~n", [[322, 8364]]),
    file:close(U),
    p(utf8, file:read_file("utf8")),
    {ok, R} = file:open("utf8", [read, {encoding, utf8}]),
    p(characters, io:get_line(R, "")),
    file:close(R).

raw() ->
    {ok, F} = file:open("raw", [raw, write, read, binary, {read_ahead, 10}]),
    p(raw_write, file:write(F, [<<"line 1\n">>, "line 2\r\n", <<"end">>])),
    {ok, 0} = file:position(F, bof),
    p(raw_lines, [file:read_line(F) || _ <- lists:seq(1, 4)]),
    p(raw_position, [file:position(F, X) || X <- [bof, {cur, 3}, eof, {eof, -3}, {bof, 100}, {cur, -200}]]),
    p(raw_pread, [file:pread(F, 0, 4), file:pread(F, 1000, 1)]),
    p(raw_sync, {file:sync(F), file:datasync(F)}),
    p(raw_close, {file:close(F), file:close(F)}),
    p(append, begin {ok, A} = file:open("raw", [raw, append]), ok = file:write(A, "!"), file:close(A), file:read_file("raw") end),
    p(no_modes, element(1, file:open("raw", [raw, binary]))).

names() ->
    p(dir, {file:make_dir("d"), file:make_dir("d"), file:del_dir("nothing")}),
    p(rename, {file:rename("raw", "d/moved"), file:rename("nothing", "x"), file:rename("d", "d/below")}),
    p(not_empty, file:del_dir("d")),
    p(links, {file:make_symlink("d/moved", "soft"), file:read_link("soft"), file:make_link("a", "hard"), file:read_link("a")}),
    p(through, file:read_file("soft")),
    p(delete, {file:delete("d/moved"), file:del_dir("d"), file:delete("d"), file:delete("soft")}),
    p(dangling, file:make_dir("d/e/f")),
    p(ensure, {filelib:ensure_dir("p/q/r"), filelib:is_dir("p/q"), filelib:is_file("a"), filelib:is_regular("p")}),
    p(wildcard, {filelib:wildcard("*i*"), filelib:wildcard("p/*"), filelib:file_size("a")}),
    p(delete_dir, file:delete("p")).

info() ->
    {ok, I} = file:read_file_info("a", [{time, posix}]),
    {file_info, Size, Type, Access, _, _, _, Mode, Links, _, _, _, _, _} = I,
    p(info, {Size, Type, Access, Mode band 8#777, Links}),
    p(chmod, {file:change_mode("a", 8#600), (element(8, element(2, file:read_file_info("a")))) band 8#777}),
    p(time, {file:write_file_info("a", setelement(6, I, 1000000000), [{time, posix}]),
             element(6, element(2, file:read_file_info("a", [{time, universal}])))}),
    p(link_info, begin ok = file:make_symlink("a", "l"), element(3, element(2, file:read_link_info("l"))) end).

missing() ->
    p(enoent, {file:read_file("no"), file:open("no", [read]), file:list_dir("no"), file:read_file_info("no"), file:delete("no")}),
    p(kinds, {file:read_file("."), file:open(".", [read]), file:list_dir("a"), file:read_file("a/b")}),
    p(badarg, {file:read_file([0]), element(1, file:open("a", [what])), file:read_file({x}), file:write_file("a", {x})}).

%% prim_file, by which the boot code and raw files work.
natives() ->
    p(no_name, [{N, prim_file:set_cwd(N), prim_file:open(N, [])} || N <- [{a}, a, [0], "", "no"]]),
    p(no_drives, [F(N) || F <- [fun prim_file:get_cwd/1, fun file:get_cwd/1], N <- ["d:", "dd", a]]),
    p(no_altname, [prim_file:altname(N) || N <- ["a", "no", {a}]]),
    ok = file:make_dir("dir"),
    [p(Modes, [opens(N, Modes) || N <- ["big", "dir", "no/no"]])
     || Modes <- [[], [raw], [what], [read], [append], [read, append], [exclusive], [directory], [write, directory], [sync, read], [skip_type_check], what, [read | what]]],
    ok = file:make_dir("in"), ok = file:set_cwd("in"), ok = file:write_file("f", ""),
    p(from_within, [file:del_dir(N) || N <- ["../in", ".", "..", "../dir/../in"]]),
    ok = file:set_cwd(".."), p(not_empty, [file:del_dir(N) || N <- ["in", "."]]),
    p(zeros, [file:set_cwd(N) || N <- [<<0>>, <<"in", 0>>, <<"in", 0, 0>>, <<0, "in">>, [$i, 0]]]),
    p(root, [prim_file:rename(From, "root") || From <- ["/", "//", "", "."]]),
    p(translatable, [try prim_file:is_translatable(N) catch error:R -> R end || N <- [<<"a">>, <<>>, <<255>>, "a", a, <<1:3>>]]).

opens(Name, Modes) ->
    try prim_file:open(Name, Modes) of
        {ok, F} -> {ok, prim_file:close(F)};
        Error -> Error
    catch
        _:Reason -> Reason
    end.
