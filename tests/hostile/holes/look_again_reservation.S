%% loop_rec_end yields: what had been reserved before it is not there any more.
%% Expected: exit 2: more is built than was reserved
{module, look_again_reservation}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,look_again_reservation},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{move,{integer,20000},{x,0}}.
{call_ext,1,{extfunc,world,collected_with_messages,1}}.
{call,0,{f,6}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{deallocate,0}.
return.
{function, rcv, 0, 6}.
{label,5}.
{func_info,{atom,look_again_reservation},{atom,rcv},0}.
{label,6}.
{allocate,1,0}.
{init_yregs,{list,[{y,0}]}}.
{test_heap,3001,0}.
{label,7}.
{put_tuple2,{x,1},{list,[{repeat,3000,{integer,7}}]}}.
{loop_rec,{f,8},{x,0}}.
{test_heap,3001,0}.
{loop_rec_end,{f,7}}.
{label,8}.
{move,{atom,ok},{x,0}}.
{deallocate,1}.
return.
