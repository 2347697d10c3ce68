%% socket:sendv/2: lists of binaries, of more than one call takes.
-module(socket_sendv).
-export([main/0, main/1]).

main() -> main([]).
main(_) ->
 {ok,L}=socket:open(inet,stream,tcp), ok=socket:bind(L,#{family=>inet,addr=>loopback,port=>0}), ok=socket:listen(L), {ok,#{port:=P}}=socket:sockname(L),
 {ok,C}=socket:open(inet,stream,tcp), ok=socket:connect(C,#{family=>inet,addr=>loopback,port=>P}), {ok,A}=socket:accept(L),
 {'$socket',Ref}=C,
 [io:format("~p: ~p~n",[0, try X() catch K:R -> {K, R} end])||X<-[fun()->prim_socket:sendv(Ref,[a],make_ref()) end,fun()->prim_socket:sendv(Ref,x,make_ref()) end,fun()->prim_socket:sendv(Ref,[<<"a">>],x) end,fun()->prim_socket:sendv(x,[<<"a">>],make_ref()) end,fun()->prim_socket:sendv(Ref,[],make_ref()) end,fun()->prim_socket:sendv(Ref,[<<"a">>|b],make_ref()) end,
  fun()->prim_socket:sendv(Ref,[<<1:3>>],make_ref()) end, fun()->prim_socket:sendv(Ref,[<<"a">>,<<"bc">>],make_ref()) end,fun()->socket:sendv(C,[<<"d">>]) end,fun()->socket:sendv(C,[]) end,fun()->socket:sendv(C,[a]) end,fun()->socket:recv(A,0) end]],
 Big=[binary:copy(<<X>>,10000)||X<-lists:seq(0,255)], Self=self(),
 spawn(fun()->Self!{r,socket:recv(A,2560000)} end), io:format("~p~n",[socket:sendv(C,Big)]), receive {r,{ok,B}}->io:format("~p~n",[B=:=iolist_to_binary(Big)]) end,
 socket:close(C), io:format("~p~n",[socket:sendv(C,[<<"d">>])]).
