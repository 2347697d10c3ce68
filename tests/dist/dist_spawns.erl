-module(dist_spawns).
-export([main/1, told/2, ends/1, trace/1, untrace/0]).

%% What a process that another node asks for begins in: erts_internal:dist_spawn_init/1, which tracers look for (ttb), and
%% which receives its arguments, though its initial call is what was asked for.
main([O]) ->
    true = net_kernel:connect_node(O),
    {?MODULE, Code, File} = code:get_object_code(?MODULE),
    {module, ?MODULE} = rpc:call(O, code, load_binary, [?MODULE, File, Code]),
    Me = self(),
    [begin
         ok = rpc:call(O, ?MODULE, trace, [[procs, call, 'receive', running]]),
         R = F([monitor]),
         P = receive {spawn_reply, R, ok, X} -> X end,
         Why = receive {'DOWN', R, process, P, W} -> W end,
         L = rpc:call(O, ?MODULE, untrace, []),
         io:format("~p ~0p~n~s", [Name, plain(P, Why), [io_lib:format("told: ~0p~n", [plain(P, M)]) || M <- first_in([M || M <- L, element(2, M) =:= P]) ++ heard()]])
     end || {Name, F} <- [
         {function, fun(Opts) -> spawn_request(O, ?MODULE, told, [Me, 1], Opts) end},
         {a_fun, fun(Opts) -> spawn_request(O, fun() -> told(Me, 2) end, Opts) end},
         {exits, fun(Opts) -> spawn_request(O, ?MODULE, ends, [{bad, 3}], Opts) end},
         {link, fun(Opts) -> spawn_request(O, ?MODULE, told, [Me, 4], [link | Opts]) end},
         {at_once, fun(Opts) -> {P, R} = spawn_opt(O, ?MODULE, told, [Me, 5], Opts), Me ! {spawn_reply, R, ok, P}, R end},
         {no_arguments, fun(Opts) -> spawn_request(O, erlang, node, [], Opts) end},
         {undef, fun(Opts) -> spawn_request(O, ?MODULE, nothing, [1, 2], Opts) end},
         {long, fun(Opts) -> spawn_request(O, ?MODULE, told, lists:seq(1, 300), Opts) end}]].

told(To, X) -> To ! {told, X, process_info(self(), [initial_call, current_function, messages])}.
ends(Why) -> exit(Why).
heard() -> receive {told, _, _} = M -> [M | heard()] after 0 -> [] end.

%% A process that traces new ones until it is asked.
trace(Flags) ->
    logger:set_primary_config(level, none),
    Self = self(),
    T = spawn(fun() ->
        register(tracer, self()), erlang:trace(new, true, Flags),
        [erlang:trace_pattern({erts_internal, dist_spawn_init, 1}, [], [K]) || K <- [local, meta]],
        Self ! self(),
        receive {From, untrace} -> ok end,
        erlang:trace(new, false, [all]), R = erlang:trace_delivered(all), receive {trace_delivered, all, R} -> ok end,
        erlang:trace_pattern({erts_internal, dist_spawn_init, 1}, false, [local]), erlang:trace_pattern({erts_internal, dist_spawn_init, 1}, false, [meta]),
        unregister(tracer), From ! {self(), all()} end),
    receive T -> ok end.
untrace() -> T = whereis(tracer), T ! {self(), untrace}, receive {T, L} -> L end.
all() -> receive M -> [M | all()] after 0 -> [] end.

%% When it takes messages in and how often it runs is the machine's affair, and loading its code is the code server's.
first_in(L) ->
    Is = fun(M, Ks) -> element(1, M) =:= trace andalso lists:member(element(3, M), Ks) end,
    lists:sort([M || M <- L, not Is(M, [in, out]), not (Is(M, ['receive']) andalso is_tuple(element(4, M)))]) ++ lists:sublist([M || M <- L, Is(M, [in])], 1).
plain(_, {A, B, C}) when is_integer(A), is_integer(B), is_integer(C) -> time;
plain(P, T) when is_tuple(T) -> list_to_tuple([plain(P, X) || X <- tuple_to_list(T)]);
plain(_, L) when is_list(L), length(L) > 20 -> {long, length(L)};
plain(P, [H | T]) -> [plain(P, H) | plain(P, T)];
plain(P, P) -> child;
plain(_, X) when X =:= self() -> me;
plain(_, X) when is_function(X) -> function;
plain(_, X) -> X.
