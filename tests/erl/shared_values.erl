%% atomics, counters and persistent_term: values, wrap-around, errors.
-module(shared_values).
-export([main/1]).

main(_Args) ->
  A0=atomics:new(3,[]), U=atomics:new(2,[{signed,false}]),
  [e(M,F,[R|As]) || {M,F,As} <- [{atomics,get,[1]},{atomics,put,[1,5]},{atomics,put,[1,1 bsl 63]},{atomics,put,[1,-(1 bsl 63)]},{atomics,get,[1]},{atomics,sub,[1,1]},{atomics,get,[1]},{atomics,add_get,[1,1]},{atomics,add,[1,(1 bsl 64)-1]},{atomics,get,[1]},{atomics,add,[1,1 bsl 64]},{atomics,put,[1,-1]},{atomics,get,[1]},{atomics,exchange,[1,7]},{atomics,compare_exchange,[1,7,8]},{atomics,compare_exchange,[1,7,8]},{atomics,compare_exchange,[1,a,8]},{atomics,compare_exchange,[1,8,b]},{atomics,get,[0]},{atomics,get,[4]},{atomics,get,[a]},{atomics,put,[1,a]},{atomics,sub_get,[1,3]},{atomics,info,[]},{atomics,add,[1,-(1 bsl 63)-1]},{atomics,put,[1,(1 bsl 64)-1]},{atomics,get,[1]}],R<-[A0,U]],
  e(atomics,get,[foo,1]), e(atomics,info,[foo]), e(atomics,info,[make_ref()]),
  [e(atomics,new,X)||X<-[[0,[]],[-1,[]],[a,[]],[1 bsl 70,[]],[1,foo],[1,[{signed,foo}]],[1,[{signed,true}|a]],[1,[foo]]]],
  [e(counters,new,X)||X<-[[0,[]],[-1,[]],[a,[]],[1 bsl 70,[]],[1,foo],[1,[atomics]],[1,[write_concurrency]],[1,[foo]]]],
  C1=counters:new(2,[write_concurrency]), C2=counters:new(2,[]),
  [e(counters,F,[R|As]) || {F,As} <- [{get,[1]},{add,[1,5]},{get,[1]},{sub,[1,7]},{get,[1]},{put,[1,1 bsl 62]},{get,[1]},{add,[1,1 bsl 62]},{get,[1]},{put,[1,1 bsl 63]},{put,[1,(1 bsl 64)-1]},{get,[1]},{put,[1,a]},{add,[1,a]},{add,[3,1]},{get,[3]},{get,[0]},{add,[1,1 bsl 64]}],R<-[C1,C2]],
  e(counters,get,[foo,1]),e(counters,get,[make_ref(),1]),
  e(erts_internal,counters_get,[make_ref(),1]),
  e(erts_internal,counters_new,[0]),
  e(erts_internal,atomics_new,[1,5]),
  e(persistent_term,get,[foo]),e(persistent_term,get,[foo,dflt]),e(persistent_term,put,[foo,{a,1.0}]),e(persistent_term,get,[foo]),e(persistent_term,get,[foo,dflt]),e(persistent_term,erase,[foo]),e(persistent_term,erase,[foo]),
  e(persistent_term,put,[foo,immed]), e(persistent_term,put,[{1},2]), e(persistent_term,get,[{1.0}]),e(persistent_term,get,[{1}]),
  t("count", fun() -> N = maps:get(count, persistent_term:info()), persistent_term:put(k1, v), persistent_term:put(k1, w), maps:get(count, persistent_term:info()) - N end),
  t("listed", fun() -> lists:keyfind(k1, 1, persistent_term:get()) end),
  t("kept", fun() -> persistent_term:put(k2, {"abc", [1, 2, 3], <<"bin">>}), V = persistent_term:get(k2), persistent_term:erase(k2), erlang:garbage_collect(), {V, persistent_term:get(k2, none)} end),
  t("many", fun() -> [persistent_term:put({many, I}, I * I) || I <- lists:seq(1, 1000)], L = [persistent_term:get({many, I}) || I <- lists:seq(1, 1000)], [persistent_term:erase({many, I}) || I <- lists:seq(1, 1000, 2)], {lists:sum(L), persistent_term:get({many, 1}, gone), persistent_term:get({many, 2}, gone)} end),
  Me = self(), X = atomics:new(1, []), Y = counters:new(1, [write_concurrency]),
  [spawn(fun() -> [begin atomics:add(X, 1, 1), counters:add(Y, 1, 2) end || _ <- lists:seq(1, 1000)], Me ! done end) || _ <- lists:seq(1, 8)],
  [receive done -> ok end || _ <- lists:seq(1, 8)],
  t("added", fun() -> {atomics:get(X, 1), counters:get(Y, 1)} end),
  ok.

e(M, F, A) -> t(io_lib:format("~p:~p ~0p", [M, F, mask(A)]), fun() -> apply(M, F, A) end).

%% Prints the value or the exception with its cause, references and pids masked.
t(Name, F) ->
    R = try F()
        catch C:E:St ->
                Cause = case St of
                            [{_, _, _, L} | _] -> maps:get(cause, proplists:get_value(error_info, L, #{}), none);
                            _ -> none
                        end,
                {C, E, Cause}
        end,
    io:format("~ts => ~0p~n", [Name, mask(R)]).

mask(T) when is_reference(T) -> reference;
mask(T) when is_pid(T) -> pid;
mask([H | T]) -> [mask(H) | mask(T)];
mask(T) when is_tuple(T) -> list_to_tuple(mask(tuple_to_list(T)));
mask(T) when is_map(T) -> maps:from_list(mask(maps:to_list(T)));
mask(T) -> T.
