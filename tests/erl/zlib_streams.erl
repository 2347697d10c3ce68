%% zlib's streams: formats, flushes, dictionaries, ends, errors.
-module(zlib_streams).
-export([main/1]).
-compile([nowarn_deprecated_function]).

e(N,F)-> R = try F() catch C:X:S -> {C,X,case S of [{M,Fn,A,_}|_]->{M,Fn,if is_list(A)->length(A);true->A end}end} end, io:format("~w ~w~n", [N, R]).
main(_) ->
 D = list_to_binary([integer_to_list(I*I)||I<-lists:seq(1,3000)]),
 e(compress,fun()->C=zlib:compress(D),{byte_size(C),erlang:md5(C),zlib:uncompress(C)=:=D} end),
 e(zip,fun()->C=zlib:zip(D),{byte_size(C),erlang:md5(C),zlib:unzip(C)=:=D} end),
 e(gzip,fun()->C=zlib:gzip(D),{byte_size(C),zlib:gunzip(C)=:=D,zlib:gunzip([C,C])=:= <<D/binary,D/binary>>} end),
 e(empty,fun()->{zlib:compress([]),zlib:uncompress(zlib:compress([])),zlib:gunzip(zlib:gzip(<<>>))} end),
 e(bad1,fun()->zlib:uncompress(<<1,2,3>>) end),
 e(bad2,fun()->zlib:uncompress(<<1,2,3,4,5,6,7,8,9>>) end),
 e(bad3,fun()->zlib:unzip(<<255,255,255,255>>) end),
 e(bad4,fun()->zlib:gunzip(binary:part(zlib:gzip(D),0,100)) end),
 e(bad5,fun()->zlib:gunzip([zlib:gzip(D),<<"junk">>]) end),
 e(cut,fun()->zlib:uncompress([zlib:compress(D),<<"junk">>])=:=D end),
 e(trunc,fun()->B=zlib:compress(D), byte_size(zlib:uncompress(binary:part(B,0,byte_size(B)-6))) end),
 e(noinit,fun()->Z=zlib:open(), zlib:deflate(Z,"abc") end),
 e(noinit2,fun()->Z=zlib:open(), zlib:inflate(Z,"abc") end),
 e(noinit3,fun()->Z=zlib:open(), zlib:deflateEnd(Z) end),
 e(noinit4,fun()->Z=zlib:open(), zlib:inflateReset(Z) end),
 e(wrong,fun()->Z=zlib:open(), zlib:inflateInit(Z), zlib:deflate(Z,"abc") end),
 e(twice,fun()->Z=zlib:open(), zlib:inflateInit(Z), zlib:deflateInit(Z) end),
 e(closed,fun()->Z=zlib:open(), zlib:close(Z), zlib:close(Z) end),
 e(closed2,fun()->Z=zlib:open(), zlib:close(Z), zlib:deflateInit(Z) end),
 e(closed3,fun()->Z=zlib:open(), zlib:deflateInit(Z), zlib:close(Z) end),
 e(notz,fun()->zlib:close(make_ref()) end),
 e(notz2,fun()->zlib:deflateInit(foo) end),
 e(other,fun()->Z=zlib:open(), S=self(), spawn(fun()-> S ! (catch zlib:deflateInit(Z)) end), receive {'EXIT',{R,_}} -> R; X->X end end),
 e(ctrl,fun()->Z=zlib:open(), S=self(), P=spawn(fun()-> receive go -> S ! (catch zlib:deflateInit(Z)) end end), ok=zlib:set_controlling_process(Z,P), P!go, receive X->{X,catch element(1,element(2,catch zlib:deflateInit(Z)))} end end),
 e(endpending,fun()->Z=zlib:open(), zlib:deflateInit(Z), zlib:deflate(Z,"abc"), zlib:deflateEnd(Z) end),
 e(endinfl,fun()->Z=zlib:open(), zlib:inflateInit(Z), zlib:inflate(Z,binary:part(zlib:compress(D),0,50)), zlib:inflateEnd(Z) end),
 e(sync,fun()->Z=zlib:open(), zlib:deflateInit(Z), A=zlib:deflate(Z,"abc",sync), B=zlib:deflate(Z,"def",finish), zlib:deflateEnd(Z), {A,B,zlib:uncompress([A,B])} end),
 e(levels,fun()->[begin Z=zlib:open(), zlib:deflateInit(Z,L), B=iolist_to_binary(zlib:deflate(Z,D,finish)), zlib:close(Z), erlang:md5(B) end || L<-[none,1,5,9]] end),
 e(dict,fun()->Z=zlib:open(), zlib:deflateInit(Z), A=zlib:deflateSetDictionary(Z,"hello world"), B=iolist_to_binary(zlib:deflate(Z,"hello world hello",finish)), Y=zlib:open(), zlib:inflateInit(Y), R1=(catch zlib:inflate(Y,B)), R2=zlib:inflateSetDictionary(Y,"hello world"), R3=zlib:inflate(Y,[]), {A,B,element(1,element(2,R1)),R2,R3,zlib:inflateGetDictionary(Y)} end),
 e(dict2,fun()->Z=zlib:open(), zlib:deflateInit(Z), zlib:deflateSetDictionary(Z,"hello world"), B=iolist_to_binary(zlib:deflate(Z,"hello world hello",finish)), Y=zlib:open(), zlib:inflateInit(Y), {zlib:inflate(Y,B,[{exception_on_need_dict,false}]), catch element(1,element(2,catch zlib:inflateSetDictionary(Y,"wrong")))} end),
 e(params,fun()->Z=zlib:open(), zlib:deflateInit(Z), A=zlib:deflate(Z,D), ok=zlib:deflateParams(Z,best_speed,filtered), B=zlib:deflate(Z,D,finish), zlib:uncompress([A,B])=:= <<D/binary,D/binary>> end),
 [e({exact,K},fun()->Z=zlib:open(), zlib:setBufSize(Z,1024), zlib:inflateInit(Z), B=zlib:compress(binary:copy(<<"0123456789abcdef">>,64*3)), exact(K,Z,B) end)||K<-[chunk,safe,inflate]],
 e(safe,fun()->Z=zlib:open(), zlib:inflateInit(Z), B=zlib:compress(binary:copy(<<"a">>,100000)), {T,O}=zlib:safeInflate(Z,B), {T,iolist_size(O)} end),
 e(crc,fun()->Z=zlib:open(), zlib:deflateInit(Z), zlib:deflate(Z,"abc"), {zlib:crc32(Z),zlib:crc32(Z,"abc"),zlib:getBufSize(Z)} end),
 e(reset,fun()->Z=zlib:open(), zlib:deflateInit(Z), A=iolist_to_binary(zlib:deflate(Z,"abc",finish)), zlib:deflateReset(Z), B=iolist_to_binary(zlib:deflate(Z,"abc",finish)), A=:=B end),
 e(afterfin,fun()->Z=zlib:open(), zlib:deflateInit(Z), zlib:deflate(Z,"abc",finish), zlib:deflate(Z,"abc",finish) end),
 e(eoserr,fun()->Z=zlib:open(), zlib:inflateInit(Z,15,error), zlib:inflate(Z,[zlib:compress("abc"),"x"]) end),
 e(eosreset,fun()->Z=zlib:open(), zlib:inflateInit(Z,15,reset), zlib:inflate(Z,[zlib:compress("abc"),zlib:compress("def")]) end),
 e(chunk,fun()->Z=zlib:open(), zlib:inflateInit(Z), zlib:setBufSize(Z,20), {more,O}=zlib:inflateChunk(Z,zlib:compress(binary:copy(<<"ab">>,50))), O end),
 e(badopt,fun()->Z=zlib:open(), zlib:deflateInit(Z,foo) end),
 e(baddata,fun()->Z=zlib:open(), zlib:deflateInit(Z), zlib:deflate(Z,[foo]) end),
 e(big,fun()->X=binary:copy(D,100), zlib:uncompress(zlib:compress(X))=:=X end),
 ok.

%% What was put in fills the buffers to the last byte.
exact(chunk,Z,B) -> [case F() of {more,O} -> {more,iolist_size(O)}; O -> iolist_size(O) end || F <- [fun()->zlib:inflateChunk(Z,B) end | lists:duplicate(4,fun()->zlib:inflateChunk(Z) end)]];
exact(safe,Z,B) -> [begin {T,O}=zlib:safeInflate(Z,I), {T,iolist_size(O)} end || I <- [B,[],[],[],[]]];
exact(inflate,Z,B) -> iolist_size(zlib:inflate(Z,B)).
