%% packages: erlang-p1-sqlite3 erlang-bitcask erlang-p1-cache-tab erlang-p1-mqtree erlang-p1-utils
-module(stores).
-export([main/0]).
-import(calls, [try_/1, show/2, everywhere/1, everywhere/3]).

main() ->
    sqlite(),
    bitcask(),
    caches(),
    topics().

sqlite() ->
    {ok, _} = application:ensure_all_started(sqlite3),
    {ok, Db} = sqlite3:open(db, [{file, "db.sqlite"}]),
    show(create, sqlite3:create_table(db, t, [{id, integer, [{primary_key, [asc, autoincrement]}]}, {name, text, [not_null]}, {n, double}])),
    show(tables, {sqlite3:list_tables(db), sqlite3:table_info(db, t)}),
    show(write, [sqlite3:write(db, t, [{name, N}, {n, X}]) || {N, X} <- [{"a", 1.5}, {<<"b">>, 2}, {"ä", null}, {"q'q", -3}]]),
    show(many, sqlite3:write_many(db, t, [[{name, integer_to_list(K)}, {n, K}] || K <- lists:seq(1, 1000)])),
    show(count, sqlite3:sql_exec(db, "select count(*), sum(n), max(length(name)) from t;")),
    show(read, [sqlite3:read(db, t, {name, N}) || N <- ["a", <<"b">>, "q'q", "nobody"]]),
    show(parameters, sqlite3:sql_exec(db, "select ?1 + ?2, ?3, typeof(?4), ?5", [1, 2.5, <<"text">>, {blob, <<0, 1, 255>>}, null])),
    show(update, sqlite3:update(db, t, {id, 1}, [{name, "changed"}])),
    show(delete, {sqlite3:delete(db, t, {id, 2}), sqlite3:changes(db)}),
    [show({wrong, Q}, try_(fun() -> sqlite3:sql_exec(db, Q) end))
     || Q <- ["select", "select * from nowhere", "insert into t values (1)", "insert into t(id, name) values (1, 'x')", "", ";",
              <<"select 1">>, "select 1; select 2", [$s, <<"elect ">>, "3"], "select x'00ff', 9223372036854775807, 1e300, null"]],
    show(script, sqlite3:sql_exec_script(db, "create table u(x); insert into u values(7); select * from u; nonsense;")),
    {ok, S} = sqlite3:prepare(db, "select name from t where id between ? and ? order by id"),
    show(bind, sqlite3:bind(db, S, [3, 5])),
    show(columns, sqlite3:columns(db, S)),
    show(next, [sqlite3:next(db, S) || _ <- lists:seq(1, 4)]),
    show(reset, {sqlite3:reset(db, S), sqlite3:clear_bindings(db, S), sqlite3:next(db, S)}),
    show(finalize, {sqlite3:finalize(db, S), try_(fun() -> sqlite3:next(db, S) end)}),
    show(no_statement, [sqlite3:next(db, 12345), sqlite3:bind(db, 99, [1])]),
    show(vacuum, sqlite3:vacuum(db)),
    everywhere(fun(K) -> sqlite3:sql_exec(db, "select ?1 * 2, ?2", [K, integer_to_binary(K)]) end),
    show(transaction, [sqlite3:sql_exec(db, Q) || Q <- ["begin", "delete from t", "select count(*) from t", "rollback", "select count(*) from t"]]),
    show(close, {sqlite3:close(db), is_process_alive(Db)}),
    {ok, _} = sqlite3:open(again, [{file, "db.sqlite"}]),
    show(again, sqlite3:sql_exec(again, "select count(*) from t")),
    show(memory, begin {ok, _} = sqlite3:open(m, [in_memory]), sqlite3:sql_exec(m, "select sqlite_version() is not null") end),
    sqlite3:close(m), sqlite3:close(again),
    ok = file:write_file("garbage.sqlite", binary:copy(<<"no database ">>, 1000)),
    {ok, _} = sqlite3:open(garbage, [{file, "garbage.sqlite"}]),
    show(garbage, try_(fun() -> sqlite3:sql_exec(garbage, "select * from sqlite_master") end)),
    sqlite3:close(garbage).

bitcask() ->
    {ok, _} = application:ensure_all_started(bitcask),
    B = bitcask:open("bc", [read_write, {max_file_size, 100000}]),
    K = fun(N) -> integer_to_binary(N) end,
    [ok = bitcask:put(B, K(N), binary:copy(K(N), N rem 50)) || N <- lists:seq(1, 10000)],
    show(get, [bitcask:get(B, X) || X <- [<<"1">>, <<"77">>, <<"10001">>, <<>>]]),
    [ok = bitcask:delete(B, K(N)) || N <- lists:seq(2, 10000, 2)],
    show(keys, erlang:phash2(lists:sort(bitcask:list_keys(B)))),
    show(fold, bitcask:fold(B, fun(_, V, A) -> A + byte_size(V) end, 0)),
    show(status, element(1, bitcask:status(B))),
    show(iterator, begin ok = bitcask:iterator(B, -1, -1), R = element(1, bitcask:iterator_next(B)), ok = bitcask:iterator_release(B), R end),
    [show({wrong, Key}, try_(fun() -> bitcask:put(B, Key, <<"v">>) end)) || Key <- [a, "l", 1, <<1:3>>]],
    show(locked, bitcask:open("bc", [read_write])),
    bitcask:close(B),
    show(merge, bitcask:merge("bc")),
    C = bitcask:open("bc", [read_write]),
    show(after_merge, {erlang:phash2(lists:sort(bitcask:list_keys(C))), bitcask:get(C, <<"77">>), bitcask:get(C, <<"78">>)}),
    show(empty, bitcask:is_empty_estimate(C)),
    bitcask:close(C),
    {ok, [F | _]} = {ok, filelib:wildcard("bc/*.bitcask.data")},
    {ok, Data} = file:read_file(F),
    ok = file:write_file(F, [binary:part(Data, 0, byte_size(Data) - 7), <<"!!">>]),
    [file:delete(H) || H <- filelib:wildcard("bc/*.hint")],
    error_logger:tty(false),
    D = bitcask:open("bc"),
    show(cut, length(bitcask:list_keys(D))),
    bitcask:close(D).

caches() ->
    {ok, _} = application:ensure_all_started(cache_tab),
    show(new, ets_cache:new(c, [{max_size, 1000}, {life_time, 60000}])),
    show(lookup, ets_cache:lookup(c, k, fun() -> {ok, v} end)),
    show(again, ets_cache:lookup(c, k)),
    show(error, ets_cache:lookup(c, k2, fun() -> error end)),
    show(update, ets_cache:update(c, k, w, fun() -> ok end)),
    show(incr, [ets_cache:incr(c, n, 1), ets_cache:incr(c, n, 5)]),
    show(wrong, [try_(fun() -> ets_cache:lookup(nocache, k) end), try_(fun() -> ets_cache:get_counter_nif(foo) end),
                 try_(fun() -> ets_cache:delete_counter_nif(make_ref()) end)]),
    show(counter, begin {ok, N} = ets_cache:new_counter_nif(), [ets_cache:incr_counter_nif(N), ets_cache:get_counter_nif(N), ets_cache:delete_counter_nif(N), try_(fun() -> ets_cache:get_counter_nif(N) end)] end),
    everywhere(fun(K) -> ets_cache:lookup(c, {key, K}, fun() -> {ok, K * 2} end) end),
    show(info, lists:keyfind(max_size, 1, ets_cache:info(c))),
    show(deleted, {ets_cache:delete(c, k), ets_cache:lookup(c, k), ets_cache:clear(c)}).

topics() ->
    T = mqtree:new(),
    [mqtree:insert(T, X) || X <- [<<"a/b/c">>, <<"a/+/c">>, <<"#">>, <<"a/#">>, <<"/">>, <<>>, <<"$SYS/x">>, "list/x", [<<"io">>, "/y"]]],
    [show({topic, X}, try_(fun() -> mqtree:match(T, X) end)) || X <- [<<"a/b/c">>, <<"a">>, <<>>, <<"/">>, <<"$SYS/x">>, "list/x", atom, 1, <<255, 0>>]],
    show(list, lists:sort(mqtree:to_list(T))),
    show(counts, [mqtree:size(T), mqtree:is_empty(T), mqtree:refc(T, <<"a/b/c">>), mqtree:delete(T, <<"a/b/c">>), mqtree:delete(T, <<"none">>), mqtree:size(T)]),
    show(registered, [mqtree:register(tree, T), try_(fun() -> mqtree:register(tree, T) end), mqtree:whereis(tree) =:= T, mqtree:registered(),
                      mqtree:unregister(tree), mqtree:whereis(tree), try_(fun() -> mqtree:unregister(tree) end)]),
    show(wrong, [try_(fun() -> mqtree:insert(foo, <<"a">>) end), try_(fun() -> mqtree:match(make_ref(), <<"a">>) end)]),
    everywhere(fun(K) -> P = integer_to_binary(K), ok = mqtree:insert(T, <<"k/", P/binary>>), mqtree:match(T, <<"k/", P/binary>>) end, 10000, 1),
    show(clear, {mqtree:clear(T), mqtree:size(T)}).
