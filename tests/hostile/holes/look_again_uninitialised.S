%% loop_rec_end yields: y registers that were never written were collected.
%% Expected: exit 2: register is read before it is written
{module, look_again_uninitialised}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,look_again_uninitialised},{atom,main},0}.
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
{func_info,{atom,look_again_uninitialised},{atom,rcv},0}.
{label,6}.
{allocate,400,0}.
{label,7}.
{deallocate,400}.
{allocate,1,0}.
{init_yregs,{list,[{y,0}]}}.
{loop_rec,{f,8},{x,0}}.
{deallocate,1}.
{allocate,400,0}.
{loop_rec_end,{f,7}}.
{label,8}.
{move,{atom,ok},{x,0}}.
{deallocate,1}.
return.
