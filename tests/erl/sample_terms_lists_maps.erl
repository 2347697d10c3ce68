%% The sample terms through lists and maps: every function of one and two arguments that returns.
-module(sample_terms_lists_maps).
-export([main/1]).
%% skip gc-stress: too many calls; lists_module and maps_core cover the same code

main(_Args) ->
    sample_terms:each([{lists, F} || F <- [reverse, sort, usort, sum, max, min, last, droplast, flatten, flatlength, append, concat, unzip, unzip3, merge, uniq, enumerate]] ++
             [{erlang, F} || F <- [length, hd, tl, tuple_to_list, list_to_tuple, tuple_size, list_to_atom, atom_to_list, list_to_integer, list_to_float, abs, float, trunc, round, floor, ceil, phash2, size]] ++
             [{maps, F} || F <- [keys, values, to_list, size, from_list, iterator]] ++ [{proplists, F} || F <- [unfold, compact, get_keys]] ++ [{ordsets, F} || F <- [from_list, is_set]] ++ [{queue, F} || F <- [from_list, is_queue, len]], sample_terms:values()),
    sample_terms:pairs([{lists, F} || F <- [append, member, delete, nth, nthtail, split, sublist, keysort, zip, merge, umerge, subtract, prefix, suffix, map, filter, foreach, partition, takewhile, dropwhile, all, any, join, flatmap]] ++
              [{maps, F} || F <- [get, find, is_key, remove, take, merge, with, without, map, filter, intersect, from_keys]] ++ [{erlang, F} || F <- ['+', '-', '*', 'div', 'rem', '/', '++', '--', 'and', 'or', 'band', 'bxor', '<', '==', '=:=', element, append_element, map_get, is_map_key, max, min]] ++
              [{proplists, F} || F <- [get_value, is_defined, delete]], sample_terms:small(), sample_terms:small()).
