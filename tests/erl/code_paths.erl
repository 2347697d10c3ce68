%% The code path: where directories go, which are refused, and what they are called by.
%% skip repeats: files named after the number of the operating system's process
-module(code_paths).
-export([main/1]).

main(_) ->
    Old = code:get_path(),
    [Dir, One, Two, Three] = [base() ++ D || D <- ["", "/one", "/two", "/three-1.0/ebin"]],
    [ok = filelib:ensure_dir(D ++ "/") || D <- [One, Two, Three]],
    New = fun() -> [string:replace(D, Dir, "") || D <- code:get_path() -- Old] end,
    Try = fun(F) ->
        Result = try F() catch Class:Reason -> {Class, Reason} end,
        io:format("~p ~p~n", [Result, New()])
    end,
    Gone = Dir ++ "/gone",
    Try(fun() -> code:add_pathsa([One, Two, Gone]) end),
    Try(fun() -> code:add_pathsz([One, Three]) end),
    Try(fun() -> code:add_patha(Three) end),
    Try(fun() -> code:add_pathz(One) end),
    Try(fun() -> code:add_path(Gone) end),
    Try(fun() -> code:add_patha(Gone) end),
    Try(fun() -> code:del_path(One) end),
    Try(fun() -> code:del_path(One) end),
    Try(fun() -> code:add_path(One) end),
    Try(fun() -> code:replace_path(three, One) end),
    Try(fun() -> code:replace_path(three, Gone ++ "/three-2.0/ebin") end),
    ok = filelib:ensure_dir(Dir ++ "/three-2.0/ebin/"),
    Try(fun() -> code:replace_path(three, Dir ++ "/three-2.0/ebin") end),
    Try(fun() -> code:del_path(three) end),
    Try(fun() -> code:replace_path(three, Dir ++ "/three-2.0/ebin") end),
    Try(fun() -> code:del_path(nosuch) end),
    Try(fun() -> code:set_path([Gone | Old]) end),
    Try(fun() -> code:set_path([Two | Old]) end),
    Try(fun() -> code:add_path(17) end),
    Try(fun() -> code:add_patha(["a" | b]) end),
    Try(fun() -> code:del_path(17) end),
    Try(fun() -> code:set_path(hello) end),
    Try(fun() -> code:add_pathsa([17]) end),
    Try(fun() -> code:add_pathsa(17) end),
    Try(fun() -> {code:lib_dir(nosuch), code:priv_dir(nosuch)} end),
    Try(fun() -> code:set_path(Old) end),
    true = Old =:= code:get_path(),
    [_, Kernel, Stdlib | _] = lists:dropwhile(fun(D) -> D =/= "." end, Old),
    io:format("~s ~s~n", [filename:basename(filename:dirname(D)) || D <- [Kernel, Stdlib]]),
    ok = file:del_dir_r(Dir),
    {ok, Applications} = file:list_dir(code:lib_dir()),
    lists:foreach(fun application/1, lists:sort(Applications)).

%% One of OTP, with code or with its headers alone.
application(Directory) ->
    Name = list_to_atom(hd(string:split(Directory, "-", trailing))),
    io:format("~p~n", [{Name, code:lib_dir(Name), code:lib_dir(Name, include), code:priv_dir(Name)}]).

base() -> filename:join(["/tmp", lists:concat([?MODULE, "-", os:getpid()])]).
