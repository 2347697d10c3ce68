%% get_map_elements without such a key leaves the destination as it was: a message that is still in
%% the queue.
%% Expected: exit 2: is part of a queued message
{module, map_keeps_message}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,map_keeps_message},{atom,main},0}.
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
{func_info,{atom,map_keeps_message},{atom,rcv},0}.
{label,6}.
{loop_rec,{f,8},{x,0}}.
{move,{literal,#{}},{x,1}}.
{get_map_elements,{f,9},{x,1},{list,[{atom,a},{x,0}]}}.
{label,9}.
return.
{label,8}.
{wait,{f,6}}.
