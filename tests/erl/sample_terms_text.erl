%% The sample terms through string, binary, unicode, io_lib and conversions.
-module(sample_terms_text).
-export([main/1]).
%% skip gc-stress: too many calls; strings and binaries_bif cover the same code

main(_Args) ->
    sample_terms:each([{string, F} || F <- [length, is_empty, to_graphemes, reverse, uppercase, lowercase, titlecase, casefold, trim, chomp, next_codepoint, next_grapheme, to_integer, to_float]] ++
             [{unicode, F} || F <- [characters_to_binary, characters_to_list, characters_to_nfc_binary, characters_to_nfd_list, bom_to_encoding]] ++
             [{binary, F} || F <- [first, last, copy, bin_to_list, list_to_bin, decode_unsigned, encode_hex, decode_hex, longest_common_prefix]] ++
             [{erlang, F} || F <- [list_to_binary, iolist_to_binary, iolist_size, binary_to_list, bitstring_to_list, list_to_bitstring, byte_size, bit_size, binary_to_atom, atom_to_binary, binary_to_integer, binary_to_float, integer_to_list, integer_to_binary, float_to_list, list_to_existing_atom, crc32, md5, binary_to_term]] ++
             [{io_lib, F} || F <- [write, print, write_string, write_atom, printable_list, printable_unicode_list, char_list, deep_char_list, latin1_char_list]] ++ [{base64, F} || F <- [encode]] ++ [{uri_string, F} || F <- [parse]] ++ [{filename, F} || F <- [basename, dirname, extension, split, rootname]] ++ [{erl_scan, string}], sample_terms:values() -- sample_terms:funs()),
    Texts = sample_terms:texts() ++ [a, 1, [a], {x}, <<1:3>>],
    sample_terms:pairs([{string, F} || F <- [split, find, prefix, equal, lexemes, slice, trim, concat, pad]] ++ [{binary, F} || F <- [match, matches, split, at, copy, part]], Texts, ["", "a", ",", <<"b">>, 1, -1, 3, x, [[]], {0, 1}]),
    [io:format("~s: ~ts~n", [F, show:outcome(fun() -> lists:flatten(io_lib:format(F, [V])) end)]) || F <- ["~w", "~p", "~tw", "~tp", "~s", "~ts", "~10w", "~-10w|", "~10.5w", "~W", "~5p", "~b", "~.16B", "~c", "~3c", "~f", "~.2f", "~e", "~g", "~i", "~x", "~0p", "~10s|", "~-10.3s|", "~10.10.*s|", "~kp", "~lp", "~K"], V <- sample_terms:small() ++ sample_terms:texts()],
    [io:format("~0tp~n~ts~n", [V, io_lib:format("~tp", [V])]) || V <- [sample_terms:values() -- sample_terms:funs() -- sample_terms:maps()]].
