%% Whoever called itself prim_eval might return queued messages.
%% Expected: exit 2: is part of a queued message
{module, prim_eval}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,prim_eval},{atom,main},0}.
{label,2}.
{allocate,2,0}.
{init_yregs,{list,[{y,0},{y,1}]}}.
{move,{integer,10},{x,0}}.
{call_ext,1,{extfunc,world,messages_of_another,1}}.
{call,0,{f,6}}.
{move,{x,0},{y,1}}.
{call_ext,1,{extfunc,world,use_message,1}}.
{move,{y,1},{x,0}}.
{call_ext,1,{extfunc,world,show_kept,1}}.
{deallocate,2}.
return.
{function, rcv, 0, 6}.
{label,5}.
{func_info,{atom,prim_eval},{atom,rcv},0}.
{label,6}.
{loop_rec,{f,8},{x,0}}.
return.
{label,8}.
{wait,{f,6}}.
