%% programs: openssl
%% public_key: PEM, certificates that public_key made and that openssl made, keys, paths, wrong input.
-module(certificates).
-export([main/0]).
-import(calls, [try_/1, show/2, everywhere/3]).
-include_lib("public_key/include/public_key.hrl").

main() ->
    error_logger:tty(false),
    {ok, _} = application:ensure_all_started(public_key),
    pems(), by_openssl(), paths(), keys(), hosts(), broken(), many().

sh(Command) -> os:cmd(Command ++ " 2>/dev/null").

by_openssl() ->
    [sh("openssl " ++ C) || C <- [
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 3650 -subj '/C=DE/O=Trees/CN=Root' -addext basicConstraints=critical,CA:TRUE",
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout leaf.key -out leaf.csr -subj '/C=DE/O=Trees/CN=leaf.example' -addext subjectAltName=DNS:leaf.example,DNS:*.wild.example,IP:10.0.0.1,URI:http://x/,email:a@b.example",
        "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out leaf.pem -days 100 -copy_extensions copy",
        "rsa -in ca.key -aes128 -passout pass:secret -out ca.aes.key -traditional", "pkcs8 -topk8 -in leaf.key -passout pass:secret -out leaf.p8.key",
        "pkcs8 -topk8 -in leaf.key -v2 aes-256-cbc -passout pass:secret -out leaf.p8a.key", "rsa -in ca.key -pubout -out ca.pub", "ec -in leaf.key -pubout -out leaf.pub",
        "dhparam -dsaparam -out dh.pem 1024", "genpkey -algorithm ed25519 -out ed.key", "genpkey -algorithm x25519 -out x.key"]],
    [show({pem, F}, try_(fun() ->
        {ok, B} = file:read_file(F),
        [{T, C, try_(fun() -> kind(case C of not_encrypted -> public_key:pem_entry_decode(E); _ -> public_key:pem_entry_decode(E, "secret") end) end),
          case C of not_encrypted -> ok; _ -> element(1, try_(fun() -> public_key:pem_entry_decode(E, "wrong") end)) end} || E = {T, _, C0} <- public_key:pem_decode(B), C <- [shape(C0)]] end))
     || F <- ["ca.pem", "ca.key", "leaf.key", "leaf.csr", "leaf.pem", "ca.aes.key", "leaf.p8.key", "leaf.p8a.key", "ca.pub", "leaf.pub", "dh.pem", "ed.key", "x.key"]],
    Ca = cert("ca.pem"), Leaf = cert("leaf.pem"),
    O = public_key:pkix_decode_cert(Leaf, otp), T = O#'OTPCertificate'.tbsCertificate,
    show(subject, {T#'OTPTBSCertificate'.subject, T#'OTPTBSCertificate'.issuer, T#'OTPTBSCertificate'.version}),
    show(extensions, [{E#'Extension'.extnID, E#'Extension'.critical, case E#'Extension'.extnID of ?'id-ce-subjectAltName' -> E#'Extension'.extnValue; _ -> ok end} || E <- T#'OTPTBSCertificate'.extensions]),
    show(same, {public_key:pkix_encode('OTPCertificate', O, otp) =:= Leaf, public_key:pkix_encode('Certificate', public_key:pkix_decode_cert(Leaf, plain), plain) =:= Leaf}),
    show(issued, [public_key:pkix_is_issuer(Leaf, Ca), public_key:pkix_is_issuer(Ca, Leaf), public_key:pkix_is_self_signed(Ca), public_key:pkix_is_self_signed(Leaf), public_key:pkix_is_fixed_dh_cert(Leaf)]),
    #'OTPCertificate'{tbsCertificate = CaT} = public_key:pkix_decode_cert(Ca, otp), Key = CaT#'OTPTBSCertificate'.subjectPublicKeyInfo#'OTPSubjectPublicKeyInfo'.subjectPublicKey,
    show(verified, [public_key:pkix_verify(Leaf, Key), public_key:pkix_verify(Ca, Key), element(1, public_key:pkix_path_validation(Ca, [Leaf], []))]),
    show(names, [public_key:pkix_verify_hostname(Leaf, [I]) || I <- [{dns_id, "leaf.example"}, {dns_id, "other.example"}, {dns_id, "a.wild.example"}, {ip, {10, 0, 0, 1}}, {ip, {10, 0, 0, 2}}, {uri_id, "http://x/"}, {srv_id, "x"}]]),
    show(https, [public_key:pkix_verify_hostname(Leaf, [I], [{match_fun, public_key:pkix_verify_hostname_match_fun(https)}]) || I <- [{dns_id, "leaf.example"}, {dns_id, "a.wild.example"}, {dns_id, "a.b.wild.example"}, {dns_id, "wild.example"}]]),
    show(is_text, is_list(try_(fun() -> public_key:pkix_dist_points(Leaf) end))).

kind({{'ECPoint', _}, Curve}) -> Curve;
kind(Entry) -> element(1, Entry).

shape(not_encrypted) -> not_encrypted;
shape({Cipher, _}) -> Cipher.

cert(F) -> {ok, B} = file:read_file(F), [{'Certificate', Der, not_encrypted}] = public_key:pem_decode(B), Der.

pems() ->
    show(pem_wrong, [try_(fun() -> public_key:pem_decode(B) end) || B <- [<<>>, <<"no pem">>, <<"-----BEGIN CERTIFICATE-----\nAAAA\n">>, <<"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n">>, x, "text"]]),
    Pem = public_key:pem_encode([{'Certificate', <<1, 2, 3>>, not_encrypted}, {'RSAPublicKey', <<4, 5>>, not_encrypted}]),
    show(pem, {Pem, public_key:pem_decode(Pem), public_key:pem_decode(<<"first\r\n", Pem/binary, "last">>)}),
    show(der, [try_(fun() -> public_key:der_decode(T, B) end) || T <- ['RSAPublicKey', 'Certificate', nothing], B <- [<<>>, <<48, 6, 2, 1, 5, 2, 1, 3>>, <<48, 6, 2, 1, 5>>, x]]),
    show(encoded, [try_(fun() -> public_key:der_encode('RSAPublicKey', R) end) || R <- [#'RSAPublicKey'{modulus = 5, publicExponent = 3}, #'RSAPublicKey'{modulus = x}, y]]),
    show(protected, try_(fun() ->
        E = public_key:pem_entry_encode('RSAPublicKey', #'RSAPublicKey'{modulus = 12345678901234567890, publicExponent = 65537}, {{"DES-EDE3-CBC", <<1, 2, 3, 4, 5, 6, 7, 8>>}, "secret"}),
        P = public_key:pem_encode([E]), [D] = public_key:pem_decode(P), {P, public_key:pem_entry_decode(D, "secret"), element(1, try_(fun() -> public_key:pem_entry_decode(D, "wrong") end))} end)).

paths() ->
    Make = fun(Options) -> public_key:pkix_test_data(#{server_chain => #{root => [{key, {namedCurve, secp256r1}}], intermediates => [[{key, {namedCurve, secp256r1}}]], peer => [{key, {namedCurve, secp256r1}} | Options]},
                                                     client_chain => #{root => [{key, {namedCurve, secp256r1}}], intermediates => [[]], peer => [{key, {namedCurve, secp256r1}}]}}) end,
    Check = fun(#{server_config := S, client_config := C}, Opts) ->
        [Peer, Mid] = [proplists:get_value(cert, S), hd([X || X <- proplists:get_value(cacerts, S), not public_key:pkix_is_self_signed(X)])],
        Roots = [R || R <- proplists:get_value(cacerts, C), public_key:pkix_is_self_signed(R)],
        [R | _] = [X || X <- Roots, public_key:pkix_is_issuer(Mid, X)],
        case try_(fun() -> public_key:pkix_path_validation(R, [Mid, Peer], Opts) end) of {ok, _} -> ok; E -> E end
    end,
    {Y, _, _} = date(),
    show(good, Check(Make([]), [])),
    show(expired, Check(Make([{validity, {{2001, 1, 1}, {2002, 1, 1}}}]), [])),
    show(not_yet, Check(Make([{validity, {{Y + 2, 1, 1}, {Y + 3, 1, 1}}}]), [])),
    show(too_long, Check(Make([]), [{max_path_length, 0}])),
    show(verify_fun, Check(Make([{validity, {{2001, 1, 1}, {2002, 1, 1}}}]), [{verify_fun, {fun(_, {bad_cert, cert_expired}, S) -> {valid, [expired | S]}; (_, {bad_cert, R}, _) -> {fail, R}; (_, {extension, _}, S) -> {unknown, S}; (_, _, S) -> {valid, S} end, []}}])),
    show(refused, Check(Make([]), [{verify_fun, {fun(_, valid_peer, _) -> {fail, i_do_not_like_it}; (_, {extension, _}, S) -> {unknown, S}; (_, _, S) -> {valid, S} end, []}}])),
    #{server_config := S1} = Make([]), #{client_config := C2} = Make([]),
    [Root | _] = [R || R <- proplists:get_value(cacerts, C2), public_key:pkix_is_self_signed(R)],
    show(stranger, element(1, public_key:pkix_path_validation(Root, [proplists:get_value(cert, S1)], []))),
    show(nothing, try_(fun() -> public_key:pkix_path_validation(unknown_ca, [], []) end)),
    show(kinds, [try_(fun() -> #{cert := C} = public_key:pkix_test_root_cert("Root", [{key, K}, {digest, D}]), true = public_key:pkix_is_self_signed(C), O = public_key:pkix_decode_cert(C, otp), element(2, O#'OTPCertificate'.signatureAlgorithm) end)
                 || K <- [{rsa, 2048, 65537}, {namedCurve, secp384r1}, {namedCurve, ?'id-Ed25519'}], D <- [sha, sha256, sha512]]).

keys() ->
    [show({sign, K}, try_(fun() -> Priv = public_key:generate_key(K), Pub = public(Priv, K),
        S = public_key:sign(<<"text">>, D, Priv), {public_key:verify(<<"text">>, D, S, Pub), public_key:verify(<<"other">>, D, S, Pub),
            public_key:verify({digest, crypto:hash(sha256, "text")}, D, S, Pub)} end))
     || {K, D} <- [{{rsa, 2048, 65537}, sha256}, {{namedCurve, secp256r1}, sha256}, {{namedCurve, ed25519}, none}]],
    Rsa = public_key:generate_key({rsa, 1024, 65537}), RsaPub = public(Rsa, {rsa, 1, 1}),
    show(encrypt, [try_(fun() -> public_key:decrypt_private(public_key:encrypt_public(<<"text">>, RsaPub), Rsa) end), try_(fun() -> public_key:decrypt_public(public_key:encrypt_private(<<"text">>, Rsa), RsaPub) end)]),
    show(ecdh, try_(fun() -> A = public_key:generate_key({namedCurve, secp384r1}), B = public_key:generate_key({namedCurve, secp384r1}),
        P = fun(#'ECPrivateKey'{publicKey = X}) -> #'ECPoint'{point = X} end, public_key:compute_key(P(B), A) =:= public_key:compute_key(P(A), B) end)),
    show(wrong_keys, [element(1, try_(fun() -> public_key:generate_key(K) end)) || K <- [x, {rsa, 1, 1}, {namedCurve, nothing}, {x, y}]]).

public(#'RSAPrivateKey'{modulus = N, publicExponent = E}, _) -> #'RSAPublicKey'{modulus = N, publicExponent = E};
public(#'ECPrivateKey'{publicKey = P, parameters = Q}, _) -> {#'ECPoint'{point = P}, Q}.

hosts() ->
    show(names, [try_(fun() -> public_key:pkix_normalize_name(N) end) || N <- [{rdnSequence, []}, {rdnSequence, [[#'AttributeTypeAndValue'{type = {2, 5, 4, 3}, value = {printableString, "  Some   Body "}}]]}, x]]),
    show(short, [try_(fun() -> public_key:short_name_hash({rdnSequence, []}) end)]).

%% A certificate with one byte changed, at every place: an error or a value, and the same on both.
broken() ->
    Cert = public_key:der_encode('RSAPublicKey', #'RSAPublicKey'{modulus = 1 bsl 500 + 1, publicExponent = 65537}),
    show(broken, erlang:phash2([try_(fun() -> <<A:I/binary, X, B/binary>> = Cert, public_key:der_decode('RSAPublicKey', <<A/binary, (X bxor V), B/binary>>) end) || I <- lists:seq(0, byte_size(Cert) - 1), V <- [1, 16#80, 16#ff]])),
    Der = fixed(),
    rand:seed(exsss, 7),
    Outcomes = [try_(fun() -> <<A:I/binary, X, B/binary>> = Der, public_key:pkix_decode_cert(<<A/binary, (X bxor V), B/binary>>, otp), decoded end) || I <- lists:seq(0, 40), V <- [1, 16#20, 16#80, 16#ff]],
    show(broken_certificate, [case O of decoded -> decoded; T -> {element(1, T), shape_of(element(2, T))} end || O <- Outcomes]),
    show(random_bytes, [element(2, try_(fun() -> public_key:pkix_decode_cert(rand:bytes(200), otp) end)) || _ <- lists:seq(1, 50)]).
shape_of({badmatch, {error, {asn1, {R, _}}}}) when is_tuple(R) -> element(1, R);
shape_of({badmatch, {error, {asn1, {R, _}}}}) -> R;
shape_of(R) when is_atom(R) -> R;
shape_of(R) -> element(1, R).

many() ->
    Der = fixed(),
    everywhere(fun(K) -> <<A:20/binary, _, B/binary>> = Der, {element(1, public_key:pkix_decode_cert(Der, otp)), catch element(2, public_key:pkix_decode_cert(<<A/binary, K, B/binary>>, plain))} end, 2000, 50).

%% The same in every run, unlike those that openssl makes.
fixed() ->
    base64:decode(
        "MIIB2DCCAX+gAwIBAgIUOTvdTlBLpqvKb5BCcVkBxPhsRnowCgYIKoZIzj0EAwIwNTELMAkGA1UEBhMCREUxDjAMBgNVBAoMBVRyZWVzMRYwFA"
        "YDVQQDDA1maXhlZC5leGFtcGxlMB4XDTI2MTEyNzA1MDk0OVoXDTM2MTEyNDA1MDk0OVowNTELMAkGA1UEBhMCREUxDjAMBgNVBAoMBVRyZWVz"
        "MRYwFAYDVQQDDA1maXhlZC5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAExHDw+A4UMJeONVSmuuAC5QuGTD9GPEer4nSeEl034n"
        "d+u8NfKTXUGE7zeVyByFcOJdrE0SzHRlrUuy94uj76haNtMGswHQYDVR0OBBYEFGvFhiB2ZUrkgV+Ok/l6B7L0NgGHMB8GA1UdIwQYMBaAFGvF"
        "hiB2ZUrkgV+Ok/l6B7L0NgGHMA8GA1UdEwEB/wQFMAMBAf8wGAYDVR0RBBEwD4INZml4ZWQuZXhhbXBsZTAKBggqhkjOPQQDAgNHADBEAiBigW"
        "STTlk3NPFu7yY8jySu3e0A29sDuPqbZZI/b5yeqAIgFIVzPQljwgxlvmJA7W5vp6QQJTzjbHY6/DYAxdxUG7s=").
