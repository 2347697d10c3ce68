%% What no compiler since OTP 24 writes and OTP 25 still loads: allocate_heap_zero, init,
%% fclearerror, fcheckerror, recv_mark, recv_set, bs_init2.
{module, old_opcodes}.
{exports, [{main,1}]}.
{attributes, []}.
{labels, 30}.

{function, main, 1, 2}.
{label,1}.
{func_info,{atom,old_opcodes},{atom,main},1}.
{label,2}.
{allocate_zero,1,1}.
{move,{integer,7},{x,0}}.
{call,1,{f,4}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{move,{float,1.5},{x,0}}.
{move,{integer,4},{x,1}}.
{call,2,{f,6}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{move,{float,1.0e100},{x,0}}.
{move,{literal,1000000000000000000000},{x,1}}.
{call,2,{f,6}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{move,{literal,<<"abc">>},{x,0}}.
{call,1,{f,18}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{move,{literal,<<"longer than sixty-four bytes: 0123456789012345678901234567890123456789">>},{x,0}}.
{call,1,{f,18}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{'catch',{y,0},{f,24}}.
{move,nil,{x,0}}.
{call,1,{f,18}}.
{label,24}.
{catch_end,{y,0}}.
{bif,element,{f,0},[{integer,1},{x,0}],{x,0}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{move,{integer,258},{x,0}}.
{call,1,{f,18}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{call,0,{f,9}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{call,0,{f,14}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{move,{atom,ok},{x,0}}.
{deallocate,1}.
return.

%% Zeroed slots survive a collection; the heap part is room for a tuple and a list.
{function, zeroed, 1, 4}.
{label,3}.
{func_info,{atom,old_opcodes},{atom,zeroed},1}.
{label,4}.
{allocate_heap_zero,3,6,1}.
{put_tuple2,{x,1},{list,[{x,0},{atom,kept}]}}.
{move,{x,1},{y,0}}.
{put_list,{x,0},nil,{x,0}}.
{move,{x,0},{y,2}}.
{call_ext,0,{extfunc,erlang,garbage_collect,0}}.
{init,{y,1}}.
{call_ext,0,{extfunc,erlang,garbage_collect,0}}.
{test_heap,4,0}.
{put_tuple2,{x,0},{list,[{y,0},{y,2},{atom,done}]}}.
{deallocate,3}.
return.

%% (X + Y) * X / 2.0 the way OTP 23 wrote it.
{function, floats, 2, 6}.
{label,5}.
{func_info,{atom,old_opcodes},{atom,floats},2}.
{label,6}.
fclearerror.
{fconv,{x,0},{fr,0}}.
{fconv,{x,1},{fr,1}}.
{bif,fadd,{f,0},[{fr,0},{fr,1}],{fr,2}}.
{bif,fmul,{f,0},[{fr,2},{fr,0}],{fr,2}}.
{fmove,{float,2.0},{fr,1}}.
{bif,fdiv,{f,0},[{fr,2},{fr,1}],{fr,2}}.
{fcheckerror,{f,0}}.
{test_heap,{alloc,[{words,0},{floats,1},{funs,0}]},0}.
{fmove,{fr,2},{x,0}}.
return.

%% A reply awaited past an older message in the queue, with the old markers.
{function, marked, 0, 9}.
{label,8}.
{func_info,{atom,old_opcodes},{atom,marked},0}.
{label,9}.
{allocate,1,0}.
{init,{y,0}}.
{call_ext,0,{extfunc,erlang,self,0}}.
{move,{atom,older},{x,1}}.
send.
{recv_mark,{f,10}}.
{call_ext,0,{extfunc,erlang,make_ref,0}}.
{move,{x,0},{y,0}}.
{bif,self,{f,0},[],{x,0}}.
{move,{y,0},{x,1}}.
send.
{recv_set,{f,10}}.
{label,10}.
{loop_rec,{f,12},{x,0}}.
{test,is_eq_exact,{f,11},[{x,0},{y,0}]}.
remove_message.
{move,{atom,reply},{x,0}}.
{deallocate,1}.
return.
{label,11}.
{loop_rec_end,{f,10}}.
{label,12}.
{wait,{f,10}}.

%% The older message is still there.
{function, rest, 0, 14}.
{label,13}.
{func_info,{atom,old_opcodes},{atom,rest},0}.
{label,14}.
{allocate,0,0}.
{label,15}.
{loop_rec,{f,16},{x,0}}.
remove_message.
{deallocate,0}.
return.
{label,16}.
{wait_timeout,{f,15},{integer,10}}.
timeout.
{move,{atom,nothing},{x,0}}.
{deallocate,0}.
return.

%% <<1, 2:16/little, 3:40, B/binary>> and its size, sized by bs_add and written by bs_put_*.
{function, built, 1, 18}.
{label,17}.
{func_info,{atom,old_opcodes},{atom,built},1}.
{label,18}.
{test,is_binary,{f,20},[{x,0}]}.
{gc_bif,byte_size,{f,0},1,[{x,0}],{x,1}}.
{bs_add,{f,0},[{integer,8},{x,1},1],{x,1}}.
{bs_init2,{f,0},{x,1},3,1,{field_flags,[]},{x,2}}.
{bs_put_integer,{f,0},{integer,8},1,{field_flags,[]},{integer,1}}.
{bs_put_integer,{f,0},{integer,2},8,{field_flags,[little]},{integer,2}}.
{bs_put_integer,{f,0},{integer,40},1,{field_flags,[]},{integer,3}}.
{bs_put_binary,{f,0},{atom,all},8,{field_flags,[]},{x,0}}.
{put_tuple2,{x,0},{list,[{atom,built},{x,2}]}}.
return.
%% A fixed size, and no room asked for.
{label,20}.
{test,is_ne,{f,17},[{x,0},{integer,1}]}.
{bs_init2,{f,0},4,0,1,{field_flags,[]},{x,1}}.
{bs_put_string,2,{string,<<"ab">>}}.
{bs_put_integer,{f,0},{integer,16},1,{field_flags,[]},{x,0}}.
{move,{x,1},{x,0}}.
return.
