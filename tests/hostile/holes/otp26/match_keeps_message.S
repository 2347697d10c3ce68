%% bs_match that fails leaves a destination as it was: a message that is still in the queue.
%% Expected: exit 2: is part of a queued message
{module, match_keeps_message}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,match_keeps_message},{atom,main},0}.
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
{func_info,{atom,match_keeps_message},{atom,rcv},0}.
{label,6}.
{label,12}.
{loop_rec,{f,8},{x,0}}.
{move,{literal,<<1,2,3,4>>},{x,1}}.
{test,bs_start_match3,{f,8},2,[{x,1}],{x,2}}.
{bs_match,{f,9},{x,2},{list,[{atom,ensure_at_least},100,1,{atom,integer},3,nil,8,1,{x,0}]}}.
{label,9}.
return.
{label,8}.
{wait,{f,12}}.
