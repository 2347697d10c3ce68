%% Calls that are left out, and why.
-module(api_skip).
-export([function/2, skip/3]).

%% Functions that are not called at all.
function(erlang, F) -> erlang_function(F);
function(erts_debug, F) -> not lists:member(F, [flat_size, size, same, size_shared, copy_shared, map_info, alloc_blocks_size]) orelse F =:= alloc_blocks_size;
function(erts_internal, F) -> not lists:member(F, [cmp_term, map_next, map_to_tuple_keys, map_hashmap_children, term_type, time_unit, perf_counter_unit, mc_iterator, is_system_process, crasher]) orelse F =:= crasher;
function(os, F) -> not lists:member(F, [getenv, putenv, unsetenv, system_time, type, find_executable]) orelse F =:= type orelse F =:= system_time orelse F =:= find_executable;
function(persistent_term, F) -> F =:= info orelse F =:= get_all;   % get/0: the order is nobody's business
function(ets, F) -> lists:member(F, [i, all, file2tab, tab2file, tabfile_info, fun2ms, give_away, repair_continuation, table, new, whereis, init_table, info, internal_delete_all, internal_select_delete]);
function(lists, _) -> false;
function(re, F) -> F =:= internal_run orelse F =:= version orelse F =:= grun;
function(math, _) -> false;
%% Helpers that loop for ever, or make millions, when called with what nobody gives them; and what is by chance.
function(rand, F) -> lists:member(F, [bc64, exro928_jump_2pow20, exro928_jump_2pow512, exro928_next, exro928_next_state, seed58, uniform, uniform_real, normal, seed, export_seed, bytes, jump, splitmix64_next, exsp_next, exsp_jump]) andalso F =/= splitmix64_next andalso F =/= exsp_next;
function(calendar, F) -> lists:member(F, [local_time, universal_time, now_to_local_time, local_time_to_universal_time, local_time_to_universal_time_dst, universal_time_to_local_time]);
function(io_lib, F) -> lists:member(F, [fread, collect_chars, collect_line, collect_line_no_eol, get_until]);
function(unicode, F) -> F =:= module_info;
function(_, _) -> false.

%% Of `erlang`: what ends, waits, prints, talks about this machine, time or other processes.
erlang_function(F) ->
    lists:member(F, [module_info, halt, hibernate, exit, exit_signal, group_leader, display, display_nl, display_string, apply, spawn, spawn_link,
                     spawn_monitor, spawn_opt, spawn_request, spawn_request_abandon, disconnect_node, send, send_nosuspend, '!', dsend, monitor_node, suspend_process, resume_process,
                     open_port, port_call, port_close, port_command, port_connect, port_control, port_info, port_get_data, port_set_data, ports, processes, registered, nodes,
                     load_module, prepare_loading, finish_loading, load_nif, delete_module, purge_module, check_process_code, check_old_code, call_on_load_function, finish_after_on_load, has_prepared_code_on_load,
                     pre_loaded, loaded, get_module_info, module_loaded, make_stub_module, set_code_and_literal_cleaner, garbage_collect_message_area,
                     now, timestamp, time, date, localtime, universaltime, system_time, monotonic_time, time_offset, statistics, memory, system_info, system_flag, system_monitor, system_profile,
                     process_info, process_flag, process_display, trace, trace_pattern, trace_info, trace_delivered, seq_trace, seq_trace_info, seq_trace_print, dt_put_tag, dt_get_tag, dt_get_tag_data, dt_spread_tag, dt_restore_tag, dt_prepend_vm_tag_data, dt_append_vm_tag_data,
                     setnode, set_cookie, get_cookie, dist_ctrl_input_handler, dist_ctrl_put_data, dist_ctrl_get_data, dist_ctrl_get_data_notification, dist_ctrl_get_opt, dist_ctrl_set_opt, dist_get_stat, dmonitor_node,
                     alloc_info, alloc_sizes, gather_gc_info_result, get_stacktrace, crasher, bump_reductions, yield, garbage_collect, delay_trap, format_cpu_topology, set_cpu_topology, cpu_topology,
                     register, unregister, unlink, link, start_timer, send_after, unique_integer, make_ref, alias, unalias, monitor, demonitor, read_timer, cancel_timer,
                     nif_error, error, throw, raise, md5_init, md5_update, md5_final, get, erase, put, get_keys, localtime_to_universaltime, universaltime_to_localtime]).

%% Calls that would need more memory or time than anybody has.
skip(_, F, [N, _]) when F =:= duplicate; F =:= make_tuple -> large(N);
skip(_, copy, [_, N]) -> large(N);
skip(lists, seq, [A | _] = Args) -> is_integer(A) andalso lists:any(fun large/1, Args);
skip(string, F, [_, N | _]) when F =:= copies; F =:= left; F =:= right; F =:= centre; F =:= pad; F =:= substr; F =:= chars -> large(N) orelse is_float(N);
skip(string, chars, [_, N | _]) -> large(N);
skip(erlang, 'bsl', [_, N]) -> is_integer(N) andalso N > 10000 andalso N < 1 bsl 50;
skip(erlang, 'bsr', [_, N]) -> is_integer(N) andalso N < -10000 andalso N > -(1 bsl 50);
skip(erlang, F, [N | _]) when F =:= make_tuple -> large(N);
skip(M, new, [N | _]) when M =:= atomics; M =:= counters -> large(N);
skip(ets, F, [{'$make', table, T} | _]) when F =:= first_lookup; F =:= last_lookup; F =:= next_lookup; F =:= prev_lookup -> T =/= ordered_set;
%% Parts of a hash table, or one after the other: their order is by BEAM's internal hash.
skip(ets, F, [{'$make', table, T} | Args]) when T =/= ordered_set, (F =:= first orelse F =:= last orelse F =:= next orelse F =:= prev orelse F =:= slot) -> F =:= first orelse F =:= last orelse Args =/= [];
skip(ets, F, [{'$make', table, T}, _, N]) when T =/= ordered_set, (F =:= match orelse F =:= match_object orelse F =:= select orelse F =:= select_reverse) -> is_integer(N);
skip(ets, F, [_, _, {'$make', table, T}]) when F =:= foldl; F =:= foldr -> T =/= ordered_set;
skip(api_effects, effect, [{erlang, F}, N | _]) when F =:= bump_reductions -> large(N);
skip(api_effects, effect, [{erlang, F}, _, V | _]) when F =:= group_leader; F =:= raise -> F =:= group_leader andalso is_pid(V) andalso node(V) =/= node();
skip(os, getenv, []) -> true;  % the order is nobody's business
skip(persistent_term, get, []) -> true;  % what the system keeps there
skip(ets, update_counter, [_, _, _, {}]) -> true;  % OTP 25 itself dies of it
skip(ets, update_element, [_, _, _, {}]) -> true;  % and OTP 27 of this
skip(array, _, Args) -> lists:any(fun large/1, Args);
skip(lists, F, Args) when F =:= nthtail; F =:= sublist; F =:= split; F =:= nth -> F =:= foreach andalso lists:any(fun large/1, Args);
skip(binary, encode_unsigned, _) -> false;
skip(rand, F, Args) when F =:= bytes_s; F =:= uniform_s; F =:= uniform_real_s; F =:= normal_s; F =:= jump -> lists:any(fun(N) -> F =:= bytes_s andalso large(N) end, Args);
skip(rand, seed_s, [A]) -> is_atom(A);  % seeded by chance
skip(rand, mwc59_seed, []) -> true;
skip(erlang, F, [A, B]) when F =:= max; F =:= min; F =:= '<'; F =:= '=<'; F =:= '>'; F =:= '>=' -> own(A) andalso own_or_other(B) orelse own(B) andalso own_or_other(A);
%% What is made of the numbers of pids and references, or of the order of maps of more than 32 keys.
skip(M, _, Args) when M =:= dict; M =:= sets -> own(Args) orelse foreign_map(M, Args);
skip(io_lib, _, Args) -> lists:any(fun large/1, Args) orelse named(Args);
skip(maps, next, [{'$make', iterator, N}]) -> N > 32;
skip(M, F, [_, _, Map]) when M =:= maps, F =:= fold -> is_unordered(Map);
skip(erlang, F, [Map | _]) when F =:= term_to_binary, is_map(Map); F =:= term_to_iovec, is_map(Map) -> map_size(Map) > 32;
skip(erlang, port_to_list, [T]) -> is_port(T);
skip(erlang, ref_to_list, [{'$make', _, _}]) -> true;
skip(erlang, F, [T]) when F =:= pid_to_list; F =:= ref_to_list -> is_pid(T) orelse is_reference(T);
skip(erlang, F, [T | _]) when F =:= phash; F =:= phash2; F =:= term_to_binary; F =:= term_to_iovec; F =:= fun_to_list; F =:= ref_to_list; F =:= pid_to_list -> own(T);
skip(api_special, F, [{erlang, pid_to_list} | _]) -> F =:= exception_text;
skip(api_special, F, [{erlang, fun_to_list} | _]) -> F =:= exception_text;
skip(api_special, exception_text, [_, V]) -> named(V);
skip(api_special, F, [V]) when F =:= insides; F =:= big_text -> named(V);
skip(api_special, format, [_, V]) -> named(V);
skip(_, _, _) -> false.

large(N) -> is_integer(N) andalso abs(N) > 1000000.

%% Does the term hold what only this machine knows: the number of a pid, a reference or a fun's maker?
own(T) when is_list(T) -> T =/= [] andalso (own(hd(T)) orelse own(tl(T)));
own({'$make', _, _}) -> true;
own(T) when is_pid(T); is_reference(T) -> node(T) =:= node();
own(T) -> is_function(T) andalso erlang:fun_info(T, type) =:= {type, local}.

own_or_other(T) -> own(T) orelse is_pid(T) orelse is_reference(T).

%% Is there something in the term that prints differently in each run?
named({'$make', _, _}) -> true;
named(T) when is_list(T) -> T =/= [] andalso (named(hd(T)) orelse named(tl(T)));
named(T) when is_tuple(T) -> lists:any(fun named/1, tuple_to_list(T));
named(T) when is_map(T) -> map_size(T) > 32;
named(T) when is_pid(T); is_reference(T); is_port(T) -> true;
named(T) -> own(T).

foreign_map(sets, Args) -> lists:any(fun is_unordered/1, Args);
foreign_map(_, _) -> false.

is_unordered(T) -> is_map(T) andalso map_size(T) > 32 orelse is_tuple(T) andalso tuple_size(T) =:= 3 andalso element(1, T) =:= '$make'.
