%% crypto as its users call it, with wrong input too.
-module(crypto_calls).
-export([main/0]).
-import(calls, [try_/1, show/2, everywhere/1, everywhere/3]).

main() ->
    error_logger:tty(false),
    {ok, _} = application:ensure_all_started(crypto),
    about(), hashes(), macs(), ciphers(), aead(), agreement(), signatures(), rsa(), random(), engines(), wrong(), many().

%% What crypto raises has a line of its C source in it: that of the library, the same on both.
about() ->
    show(info, [crypto:info_lib(), crypto:supports(), crypto:info_fips(), maps:remove(otp_crypto_version, crypto:info())]),
    show(nifs, lists:sort(crypto:module_info(nifs))),
    show(cipher_info, [{C, try_(fun() -> crypto:cipher_info(C) end)} || C <- crypto:supports(ciphers) ++ [nothing, 1]]),
    show(hash_info, [{H, try_(fun() -> crypto:hash_info(H) end)} || H <- crypto:supports(hashs) ++ [nothing, "x"]]),
    show(curves, [{C, erlang:phash2(try_(fun() -> crypto:ec_curve(C) end))} || C <- crypto:ec_curves()]).

hashes() ->
    Data = [<<>>, <<"abc">>, "iolist", [<<"a">>, ["bc" | <<"d">>]], binary:copy(<<7>>, 100000), list_to_binary(lists:seq(0, 255))],
    [show({hash, H}, [try_(fun() -> crypto:hash(H, D) end) || D <- Data]) || H <- crypto:supports(hashs)],
    [show({steps, H}, try_(fun() ->
        S0 = crypto:hash_init(H),
        S1 = crypto:hash_update(S0, "one"),
        S2 = crypto:hash_update(S1, binary:copy(<<"x">>, 50000)),
        {crypto:hash_final(S2), crypto:hash_final(S1), crypto:hash_final(S0), crypto:hash_final(crypto:hash_update(S1, <<>>))}
    end)) || H <- [md4, md5, sha, sha256, sha512, sha3_256, blake2b, ripemd160]],
    <<_:3, Bits:80/bitstring, _/bitstring>> = <<"not at a byte's edge">>,
    show(unaligned, crypto:hash(sha256, Bits)),
    show(hash_wrong, [try_(F) || F <- [fun() -> crypto:hash(nothing, <<>>) end, fun() -> crypto:hash(md5, atom) end,
        fun() -> crypto:hash(md5, [300]) end, fun() -> crypto:hash(md5, <<1:3>>) end, fun() -> crypto:hash_update(make_ref(), <<>>) end,
        fun() -> crypto:hash_final(x) end, fun() -> crypto:hash_init(<<>>) end, fun() -> crypto:hash(md5, [1 | 2]) end]]),
    show(equals, [try_(fun() -> crypto:hash_equals(A, B) end) || {A, B} <- [{<<"a">>, <<"a">>}, {<<"a">>, <<"b">>}, {<<"a">>, <<"ab">>}, {a, b}]]),
    show(xor_, [try_(fun() -> crypto:exor(A, B) end) || {A, B} <- [{<<1, 2, 3>>, <<255, 255, 255>>}, {"abc", [<<"ab">>, $c]}, {<<1>>, <<>>}, {1, 2}]]).

macs() ->
    [show({hmac, H, byte_size(K)}, try_(fun() -> crypto:mac(hmac, H, K, "text") end))
     || H <- crypto:supports(hashs), K <- [<<>>, <<"key">>, binary:copy(<<"k">>, 300)]],
    [show({cmac, C}, try_(fun() -> crypto:mac(cmac, C, binary:copy(<<1>>, N), <<"text">>) end))
     || {C, N} <- [{aes_128_cbc, 16}, {aes_192_cbc, 24}, {aes_256_cbc, 32}, {des_ede3_cbc, 24}, {aes_128_cbc, 5}, {aes_128_gcm, 16}, {nothing, 1}]],
    [show({poly1305, N}, try_(fun() -> crypto:mac(poly1305, binary:copy(<<1>>, N), <<"text">>) end)) || N <- [32, 31, 0]],
    [show({macN, N}, try_(fun() -> crypto:macN(hmac, sha256, <<"k">>, <<"d">>, N) end)) || N <- [1, 10, 32, 33, 0, -1]],
    show(mac_steps, try_(fun() ->
        S = crypto:mac_init(hmac, sha, <<"key">>), S1 = crypto:mac_update(S, "ab"), S2 = crypto:mac_update(S1, <<"cd">>),
        M = crypto:mac_final(S2), {M =:= crypto:mac(hmac, sha, <<"key">>, <<"abcd">>), try_(fun() -> crypto:mac_finalN(crypto:mac_init(hmac, sha, <<"key">>), 5) end)} end)),
    show(mac_wrong, [try_(F) || F <- [fun() -> crypto:mac(hmac, nothing, <<>>, <<>>) end, fun() -> crypto:mac(nothing, sha, <<>>, <<>>) end,
        fun() -> crypto:mac(hmac, sha, key, <<>>) end, fun() -> crypto:mac_update(ref, <<>>) end, fun() -> crypto:mac_final(make_ref()) end]]),
    show(pbkdf2, [try_(fun() -> crypto:pbkdf2_hmac(D, <<"password">>, <<"salt">>, I, L) end)
                  || {D, I, L} <- [{sha, 1000, 20}, {sha256, 1000, 48}, {sha256, 0, 1}, {nothing, 1, 1}]]).

block(stream) -> 1; block(1) -> 1; block(N) -> N.
ciphers() ->
    Plain = [<<>>, <<"sixteen bytes 16">>, binary:copy(<<"0123456789abcdef">>, 3000), <<"odd">>],
    Plainly = fun(F) -> try F() catch error:{Tag, _, Text} -> {Tag, Text}; C:R -> {C, R} end end,
    [begin
         #{key_length := KL, iv_length := IL, block_size := B, mode := M} = crypto:cipher_info(C),
         K = binary:copy(<<3>>, KL), IV = binary:copy(<<5>>, IL),
         One = fun(Flag, P) -> case IL of 0 -> crypto:crypto_one_time(C, K, P, Flag); _ -> crypto:crypto_one_time(C, K, IV, P, Flag) end end,
         show({cipher, C, M, block(B)}, [Plainly(fun() -> E = One(true, P), {erlang:phash2(E), byte_size(E), One(false, E) =:= P} end) || P <- Plain]),
         [show({padding, C, Pad}, [Plainly(fun() -> E = crypto:crypto_one_time(C, K, IV, P, [{encrypt, true}, {padding, Pad}]),
                                                    D = crypto:crypto_one_time(C, K, IV, E, [{encrypt, false}, {padding, Pad}]),
                                                    {byte_size(E), D =:= P} end) || P <- Plain])
          || Pad <- [pkcs_padding, none, zero, nothing], M =:= cbc_mode]
     end || C <- crypto:supports(ciphers), not is_aead(C)],
    show(streaming, [begin
        S = crypto:crypto_init(C, binary:copy(<<1>>, 16), binary:copy(<<2>>, 16), Opt),
        A = [try_(fun() -> crypto:crypto_update(S, P) end) || P <- [<<"abc">>, "0123456789abcdefgh", <<>>, binary:copy(<<"z">>, 1000)]],
        {C, Opt, erlang:phash2(A), Plainly(fun() -> crypto:crypto_final(S) end), Plainly(fun() -> crypto:crypto_get_data(S) end)}
     end || C <- [aes_128_ctr, aes_128_cbc], Opt <- [true, [{encrypt, true}, {padding, pkcs_padding}], [{encrypt, true}, {padding, zero}]]]),
    show(dyn_iv, Plainly(fun() -> crypto:crypto_dyn_iv_init(aes_128_ctr, binary:copy(<<1>>, 16), true) end)),
    show(cipher_wrong, [Plainly(F) || F <- [fun() -> crypto:crypto_one_time(nothing, <<>>, <<>>, <<>>, true) end,
        fun() -> crypto:crypto_one_time(aes_128_cbc, <<1>>, <<0:128>>, <<>>, true) end, fun() -> crypto:crypto_one_time(aes_128_cbc, <<0:128>>, <<1>>, <<>>, true) end,
        fun() -> crypto:crypto_one_time(aes_128_cbc, <<0:128>>, <<0:128>>, atom, true) end, fun() -> crypto:crypto_one_time(aes_128_cbc, <<0:128>>, <<0:128>>, <<>>, maybe) end,
        fun() -> crypto:crypto_one_time(aes_128_cbc, <<0:128>>, <<0:128>>, <<>>, [{padding}]) end, fun() -> crypto:crypto_update(make_ref(), <<>>) end,
        fun() -> crypto:crypto_init(aes_128_gcm, <<0:128>>, true) end, fun() -> crypto:crypto_one_time(aes_128_cbc, <<0:128>>, <<0:128>>, <<1, 2>>, [{encrypt, false}, {padding, pkcs_padding}]) end]]),
    show(the_whole_reason, try_(fun() -> crypto:crypto_one_time(aes_128_cbc, <<1>>, <<0:128>>, <<>>, true) end)),
    show(formatted, try crypto:crypto_one_time(aes_128_cbc, <<1>>, <<0:128>>, <<>>, true) catch E:R:St -> erl_error:format_exception(E, R, [hd(St)]) end).

is_aead(C) -> lists:member(maps:get(mode, crypto:cipher_info(C)), [gcm_mode, ccm_mode]) orelse C =:= chacha20_poly1305.

aead() ->
    Out = fun(F) -> try F() catch C:{T, _, Text} -> {C, T, Text}; C:R -> {C, R} end end,
    [begin
         #{key_length := KL, iv_length := IL} = crypto:cipher_info(C),
         K = binary:copy(<<9>>, KL), IV = binary:copy(<<4>>, IL),
         [show({aead, C, byte_size(P), TL}, Out(fun() ->
              {E, T} = crypto:crypto_one_time_aead(C, K, IV, P, <<"aad">>, TL, true),
              {erlang:phash2(E), T, crypto:crypto_one_time_aead(C, K, IV, E, <<"aad">>, T, false) =:= iolist_to_binary(P),
               crypto:crypto_one_time_aead(C, K, IV, E, <<"other">>, T, false),
               crypto:crypto_one_time_aead(C, K, IV, E, <<"aad">>, <<0:(8 * TL)>>, false)} end))
          || P <- [<<>>, <<"text">>, binary:copy(<<"y">>, 16384)], TL <- [16, 12, 4, 0, 17]],
         show({aead_default, C}, Out(fun() -> crypto:crypto_one_time_aead(C, K, IV, "text", "aad", true) end)),
         show({aead_ivs, C}, [Out(fun() -> crypto:crypto_one_time_aead(C, K, binary:copy(<<1>>, N), "text", "aad", true) end) || N <- [0, 1, 7, 12, 13, 16, 33]])
     end || C <- crypto:supports(ciphers), is_aead(C)],
    show(aead_wrong, [Out(F) || F <- [fun() -> crypto:crypto_one_time_aead(aes_128_cbc, <<0:128>>, <<0:128>>, <<>>, <<>>, true) end,
        fun() -> crypto:crypto_one_time_aead(aes_128_gcm, <<0:8>>, <<0:96>>, <<>>, <<>>, true) end,
        fun() -> crypto:crypto_one_time_aead(aes_128_gcm, <<0:128>>, <<0:96>>, x, <<>>, true) end,
        fun() -> crypto:crypto_one_time_aead(aes_128_gcm, <<0:128>>, <<0:96>>, <<>>, x, true) end,
        fun() -> crypto:crypto_one_time_aead(aes_128_gcm, <<0:128>>, <<0:96>>, <<>>, <<>>, x, false) end]]).

agreement() ->
    [show({ecdh, C}, try_(fun() ->
        {PubA, PrivA} = crypto:generate_key(ecdh, C), {PubB, PrivB} = crypto:generate_key(ecdh, C),
        S = crypto:compute_key(ecdh, PubB, PrivA, C),
        {byte_size(PubA), S =:= crypto:compute_key(ecdh, PubA, PrivB, C), byte_size(S), element(1, crypto:generate_key(ecdh, C, PrivA)) =:= PubA} end))
     || C <- crypto:supports(curves), C =/= ed25519, C =/= ed448],
    show(x25519, try_(fun() -> crypto:generate_key(ecdh, x25519, <<1:256>>) end)),
    show(x25519_shared, try_(fun() -> crypto:compute_key(ecdh, element(1, crypto:generate_key(ecdh, x25519, <<7:256>>)), <<1:256>>, x25519) end)),
    show(secp256r1, try_(fun() -> crypto:generate_key(ecdh, secp256r1, <<1:256>>) end)),
    show(ecdh_wrong, [try_(F) || F <- [fun() -> crypto:generate_key(ecdh, nothing) end, fun() -> crypto:compute_key(ecdh, <<1>>, <<2>>, secp256r1) end,
        fun() -> crypto:compute_key(ecdh, a, b, x25519) end, fun() -> crypto:generate_key(nothing, x) end, fun() -> crypto:compute_key(ecdh, <<4, 0:512>>, <<1:256>>, secp256r1) end]]),
    P = 16#FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF,
    {A, Pa} = crypto:generate_key(dh, [P, 2]), {B, Pb} = crypto:generate_key(dh, [P, 2]),
    show(dh, crypto:compute_key(dh, B, Pa, [P, 2]) =:= crypto:compute_key(dh, A, Pb, [P, 2])),
    show(dh_given, try_(fun() -> tuple_size(crypto:generate_key(dh, [P, 2], 12345)) end)),
    show(dh_wrong, [try_(fun() -> crypto:generate_key(dh, X) end) || X <- [[], [P], [x, y], [0, 0]]]),
    show(mod_pow, [try_(fun() -> crypto:mod_pow(X, Y, M) end) || {X, Y, M} <- [{2, 1000, P}, {<<2>>, <<5>>, 7}, {2, 3, 0}, {x, 1, 1}, {0, 0, 5}]]),
    show(srp, try_(fun() ->
        X = crypto:hash(sha, "salt user password"), V = crypto:mod_pow(2, X, P),
        {UPub, UPriv} = crypto:generate_key(srp, {user, [2, P, '6a']}), {HPub, HPriv} = crypto:generate_key(srp, {host, [V, 2, P, '6a']}),
        crypto:compute_key(srp, HPub, {UPub, UPriv}, {user, [X, P, 2, '6a']}) =:= crypto:compute_key(srp, UPub, {HPub, HPriv}, {host, [V, P, '6a']}) end)).

signatures() ->
    [show({eddsa, C}, try_(fun() ->
        {Pub, Priv} = crypto:generate_key(eddsa, C, binary:copy(<<5>>, N)), S = crypto:sign(eddsa, none, <<"text">>, [Priv, C]),
        {Pub, S, crypto:verify(eddsa, none, <<"text">>, S, [Pub, C]), crypto:verify(eddsa, none, <<"texT">>, S, [Pub, C]), crypto:verify(eddsa, none, <<"text">>, <<1>>, [Pub, C])} end))
     || {C, N} <- [{ed25519, 32}, {ed448, 57}, {ed25519, 5}]],
    [show({ecdsa, C, H}, try_(fun() ->
        {Pub, Priv} = crypto:generate_key(ecdh, C), S = crypto:sign(ecdsa, H, <<"text">>, [Priv, C]),
        {crypto:verify(ecdsa, H, <<"text">>, S, [Pub, C]), crypto:verify(ecdsa, H, <<"other">>, S, [Pub, C]), crypto:verify(ecdsa, H, <<"text">>, <<"no">>, [Pub, C])} end))
     || C <- [secp256r1, secp384r1, secp521r1, secp256k1, brainpoolP256r1, secp224r1], H <- [sha, sha256, sha384, sha512, sha3_256, nothing]],
    show(ecdsa_digest, try_(fun() -> {Pub, Priv} = crypto:generate_key(ecdh, secp256r1), D = crypto:hash(sha256, "x"),
        S = crypto:sign(ecdsa, sha256, {digest, D}, [Priv, secp256r1]), crypto:verify(ecdsa, sha256, "x", S, [Pub, secp256r1]) end)),
    show(wrong_signatures, [try_(F) || F <- [fun() -> crypto:sign(eddsa, none, <<"t">>, [<<1>>, ed25519]) end, fun() -> crypto:sign(ecdsa, sha, x, [<<1>>, secp256r1]) end,
        fun() -> crypto:sign(nothing, sha, <<>>, []) end, fun() -> crypto:verify(eddsa, none, <<>>, <<>>, [<<1>>, ed25519]) end, fun() -> crypto:sign(ecdsa, sha, {digest, <<1>>}, [<<1:256>>, secp256r1]) end]]).

rsa() ->
    {Pub, Priv} = crypto:generate_key(rsa, {2048, 65537}),
    show(rsa_key, {length(Pub), length(Priv), [byte_size(X) || X <- Pub]}),
    [show({rsa_sign, H, O}, without_keys(fun() -> S = crypto:sign(rsa, H, <<"text">>, Priv, O),
        {byte_size(S), crypto:verify(rsa, H, <<"text">>, S, Pub, O), crypto:verify(rsa, H, <<"Text">>, S, Pub, O), crypto:verify(rsa, H, <<"text">>, <<0>>, Pub, O)} end))
     || H <- [md5, sha, sha256, sha512, sha3_256, ripemd160, none, nothing],
        O <- [[], [{rsa_padding, rsa_pkcs1_pss_padding}], [{rsa_padding, rsa_pkcs1_pss_padding}, {rsa_pss_saltlen, 20}, {rsa_mgf1_md, sha}], [{rsa_padding, rsa_x931_padding}], [{rsa_padding, x}]]],
    [show({rsa_encrypt, P}, without_keys(fun() -> E = crypto:public_encrypt(rsa, T, Pub, P), {byte_size(E), crypto:private_decrypt(rsa, E, Priv, P) =:= T} end))
     || T <- [<<"text">>, <<>>, binary:copy(<<1>>, 256), binary:copy(<<1>>, 300)], P <- [rsa_pkcs1_padding, rsa_pkcs1_oaep_padding, rsa_no_padding, [{rsa_padding, rsa_pkcs1_oaep_padding}, {rsa_oaep_md, sha256}, {rsa_mgf1_md, sha256}], x]],
    [show({rsa_private, P}, without_keys(fun() -> E = crypto:private_encrypt(rsa, <<"text">>, Priv, P), crypto:public_decrypt(rsa, E, Pub, P) end)) || P <- [rsa_pkcs1_padding, rsa_no_padding, rsa_pkcs1_oaep_padding]],
    show(rsa_wrong, [without_keys(F) || F <- [fun() -> crypto:private_decrypt(rsa, <<0:2048>>, Priv, rsa_pkcs1_oaep_padding) end, fun() -> crypto:public_encrypt(rsa, x, Pub, rsa_pkcs1_padding) end,
        fun() -> crypto:public_encrypt(rsa, <<>>, [1], rsa_pkcs1_padding) end, fun() -> crypto:sign(rsa, sha, <<>>, []) end, fun() -> crypto:generate_key(rsa, {1, 1}) end, fun() -> crypto:generate_key(rsa, x) end]]),
    show(public_of, crypto:privkey_to_pubkey(rsa, Priv) =:= Pub),
    show(concurrently, lists:usort([receive {K, V} -> V end || K <- [begin Me = self(), spawn(fun() -> Me ! {I, crypto:verify(rsa, sha256, <<I>>, crypto:sign(rsa, sha256, <<I>>, Priv), Pub)} end), I end || I <- lists:seq(1, 50)]])).

random() ->
    show(random, [byte_size(crypto:strong_rand_bytes(N)) || N <- [0, 1, 16, 100000]]),
    show(random_wrong, [try_(fun() -> crypto:strong_rand_bytes(X) end) || X <- [-1, x, 1.0, 1 bsl 70]]),
    show(uniform, lists:all(fun(_) -> X = crypto:rand_uniform(10, 20), X >= 10 andalso X < 20 end, lists:seq(1, 1000))),
    show(uniform_wrong, [try_(fun() -> crypto:rand_uniform(A, B) end) || {A, B} <- [{2, 1}, {1, 1}, {a, b}]]),
    S = crypto:rand_seed_alg_s(crypto_aes, "seed"),
    show(seeded, element(1, lists:mapfoldl(fun(_, A) -> rand:uniform_s(1000, A) end, S, lists:seq(1, 20)))),
    crypto:rand_seed_alg(crypto_cache),
    show(cache, lists:all(fun(_) -> X = rand:uniform(), X >= 0 andalso X < 1 end, lists:seq(1, 1000))),
    show(rand_seed, [try_(fun() -> crypto:rand_seed(X) end) || X <- [<<"seed">>, 5]]).

engines() ->
    show(engines, try_(fun() -> crypto:engine_list() end)),
    show(engine, [try_(F) || F <- [fun() -> crypto:engine_load(<<"nothing">>, [], []) end, fun() -> crypto:engine_load(x, y, z) end, fun() -> crypto:engine_get_all_methods() end,
        fun() -> crypto:ensure_engine_loaded(<<"none">>, <<"/nonexistent.so">>) end, fun() -> crypto:engine_by_id(<<"nothing">>) end, fun() -> crypto:engine_unload(x) end, fun() -> crypto:engine_get_id(x) end]]),
    show(dynamic, try_(fun() -> {ok, E} = crypto:engine_by_id(<<"dynamic">>), {crypto:engine_get_id(E), crypto:engine_get_name(E)} end)),
    show(fips, [try_(fun() -> crypto:enable_fips_mode(X) end) || X <- [false, true, x]]).

%% Every exported function with one term of each kind for all of its arguments.
wrong() ->
    Terms = [x, -1, 1 bsl 80, 1.5, <<>>, <<1:5>>, [], [x], {}, #{}, self(), fun() -> ok end],
    Skipped = [module_info, start, stop, generate_key, rand_seed, rand_seed_s, rand_seed_alg, rand_seed_alg_s, on_load, rand_plugin_aes_next, rand_plugin_aes_uniform, rand_plugin_aes_jump, rand_cache_plugin_next, rand_plugin_next, rand_plugin_uniform],
    [show({wrong, F, A}, [reason(try_(fun() -> apply(crypto, F, lists:duplicate(A, T)) end)) || T <- Terms])
     || {F, A} <- lists:sort(crypto:module_info(exports)), A > 0, not lists:member(F, Skipped)].
without_keys(F) -> reason(try_(F)).
reason({C, {T, _, Text}, _, _, _}) -> {C, T, Text};
reason({C, R, M, F, _}) -> {C, R, M, F};
reason(Other) -> Other.

many() ->
    everywhere(fun(K) -> crypto:hash(md5, <<K:32>>) end),
    everywhere(fun(K) -> crypto:mac(hmac, sha256, <<K>>, <<K:32>>) end),
    everywhere(fun(K) -> crypto:crypto_one_time(aes_128_ctr, <<K:128>>, <<0:128>>, <<K:256>>, true) end),
    everywhere(fun(K) -> crypto:crypto_one_time_aead(aes_256_gcm, <<K:256>>, <<0:96>>, <<K:256>>, <<"aad">>, true) end),
    everywhere(fun(K) -> crypto:hash_final(crypto:hash_update(crypto:hash_init(sha), <<K:32>>)) end),
    everywhere(fun(K) -> crypto:sign(eddsa, none, <<K:32>>, [<<7:256>>, ed25519]) end, 1000, 50).
