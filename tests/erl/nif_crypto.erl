%% OTP's crypto, whose native functions are a library: what programs ask of it, with good and bad input.
%% skip repeats: libcrypto makes keys of its own random numbers
-module(nif_crypto).
-export([main/1]).

-define(P(E), io:format("~s: ~p~n", [??E, E])).

main(_) ->
    hashes(), macs(), ciphers(), random(), keys(), signatures(), wrong(), at_once().

short(Binary) when is_binary(Binary) -> {byte_size(Binary), erlang:phash2(Binary)};
short(Term) -> Term.

hashes() ->
    Data = list_to_binary(lists:duplicate(5000, "some text")),
    [io:format("~p ~p ~p~n", [H, crypto:hash_info(H), [short(crypto:hash(H, D)) || D <- [<<>>, "list", ["io", <<"list">>], Data]]])
     || H <- lists:sort(crypto:supports(hashs))],
    S = lists:foldl(fun(P, State) -> crypto:hash_update(State, P) end, crypto:hash_init(sha256), ["a", <<"b">>, Data]),
    ?P(crypto:hash_final(S) =:= crypto:hash(sha256, ["ab", Data])),
    ?P(crypto:hash_final(S) =:= crypto:hash_final(S)),
    ?P(crypto:hash(md5, <<1:32>>)).

macs() ->
    [?P({H, short(crypto:mac(hmac, H, "key", "data"))}) || H <- [md5, sha, sha256, sha384, sha512, sha3_256]],
    ?P(short(crypto:mac(cmac, aes_128_cbc, <<0:128>>, "data"))), ?P(short(crypto:mac(poly1305, <<1:256>>, "data"))),
    ?P(crypto:macN(hmac, sha256, "key", "data", 5)),
    S = crypto:mac_update(crypto:mac_init(hmac, sha, "key"), "data"),
    ?P(crypto:mac_final(S) =:= crypto:mac(hmac, sha, "key", "data")),
    ?P(short(crypto:pbkdf2_hmac(sha256, <<"password">>, <<"salt">>, 1000, 32))).

ciphers() ->
    Key = <<1:128>>, IV = <<2:128>>, Text = list_to_binary(lists:seq(0, 255)),
    [begin
         C = crypto:crypto_one_time(A, Key, IV, Text, [{encrypt, true}, {padding, P}]),
         io:format("~p ~p ~p~n", [A, short(C), crypto:crypto_one_time(A, Key, IV, C, [{encrypt, false}, {padding, P}]) =:= Text])
     end || A <- [aes_128_cbc, aes_128_ctr, aes_128_cfb128], P <- [none, pkcs_padding]],
    [begin
         K = binary:copy(<<7>>, maps:get(key_length, crypto:cipher_info(A))),
         {C, Tag} = crypto:crypto_one_time_aead(A, K, <<3:96>>, Text, <<"header">>, true),
         io:format("~p ~p ~p ~p ~p~n", [A, short(C), short(Tag), crypto:crypto_one_time_aead(A, K, <<3:96>>, C, <<"header">>, Tag, false) =:= Text,
                                       crypto:crypto_one_time_aead(A, K, <<3:96>>, C, <<"other">>, Tag, false)])
     end || A <- [aes_128_gcm, aes_256_gcm, chacha20_poly1305]],
    S = crypto:crypto_init(aes_128_ctr, Key, IV, true),
    Parts = [crypto:crypto_update(S, P) || <<P:50/binary>> <= Text],
    ?P(short(iolist_to_binary(Parts))), ?P(short(crypto:exor(Text, binary:copy(<<255>>, 256)))).

random() ->
    ?P([byte_size(crypto:strong_rand_bytes(N)) || N <- [0, 1, 16, 1000]]),
    ?P(crypto:strong_rand_bytes(16) =/= crypto:strong_rand_bytes(16)),
    ?P(lists:all(fun(N) -> N >= 5 andalso N < 10 end, [rand:uniform(5) + 4 || _ <- lists:seq(1, 100)])),
    crypto:rand_seed(),
    ?P(lists:all(fun(N) -> N >= 1 andalso N =< 6 end, [rand:uniform(6) || _ <- lists:seq(1, 1000)])).

keys() ->
    [begin
         {PubA, PrivA} = crypto:generate_key(ecdh, C), {PubB, PrivB} = crypto:generate_key(ecdh, C),
         Same = crypto:compute_key(ecdh, PubA, PrivB, C) =:= crypto:compute_key(ecdh, PubB, PrivA, C),
         io:format("~p ~p ~p~n", [C, byte_size(PubA), Same])
     end || C <- [secp256r1, secp384r1, x25519, x448]],
    {P, G} = {<<16#FFFFFFFFFFFFFFC5:64>>, <<5>>},
    ?P(short(crypto:mod_pow(G, 12345678901234567890, P))),
    {Pub, [E, N, D | _]} = {ok, element(2, crypto:generate_key(rsa, {1024, 65537}))},
    ?P({Pub, short(E), byte_size(N), is_binary(D)}),
    rsa([E, N], [E, N, D]).

rsa(Public, Private) ->
    C = crypto:public_encrypt(rsa, <<"secret">>, Public, [{rsa_padding, rsa_pkcs1_padding}]),
    ?P(crypto:private_decrypt(rsa, C, Private, [{rsa_padding, rsa_pkcs1_padding}])).

signatures() ->
    {Pub, Priv} = crypto:generate_key(ecdh, secp256r1),
    S = crypto:sign(ecdsa, sha256, "message", [Priv, secp256r1]),
    ?P([crypto:verify(ecdsa, sha256, M, S, [Pub, secp256r1]) || M <- ["message", "another"]]),
    {EdPub, EdPriv} = crypto:generate_key(eddsa, ed25519),
    T = crypto:sign(eddsa, none, "message", [EdPriv, ed25519]),
    ?P([crypto:verify(eddsa, none, M, T, [EdPub, ed25519]) || M <- ["message", "another"]]),
    ?P(byte_size(T)).

wrong() ->
    [?P(failure(F)) || F <- [fun() -> crypto:hash(no_such, "x") end, fun() -> crypto:hash(md5, not_iodata) end, fun() -> crypto:mac(hmac, sha, 1, 2) end,
                             fun() -> crypto:crypto_one_time(aes_128_cbc, <<1>>, <<2:128>>, "x", true) end,
                             fun() -> crypto:strong_rand_bytes(-1) end, fun() -> crypto:sign(ecdsa, sha256, "m", [<<1>>, nothing]) end,
                             fun() -> crypto:generate_key(ecdh, no_curve) end, fun() -> crypto:hash_update(make_ref(), "x") end]].

%% Files and lines of the library's source are in the reasons.
failure(F) ->
    try F() catch Class:Reason:Stack -> {M, N, A, _} = hd(Stack), {Class, Reason, M, N, if is_list(A) -> length(A); true -> A end} end.

at_once() ->
    Self = self(),
    [spawn(fun() -> Self ! {done, lists:foldl(fun(K, D) -> crypto:hash(sha, [D, integer_to_binary(K + N)]) end, <<>>, lists:seq(1, 500))} end)
     || N <- lists:seq(1, 50)],
    ?P(erlang:phash2(lists:sort([receive {done, D} -> D end || _ <- lists:seq(1, 50)]))).
