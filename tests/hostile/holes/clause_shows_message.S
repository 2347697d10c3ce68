%% A guard BIF that fails, or a function without a matching clause, shows its arguments: a message that is
%% still in the queue became part of a stack trace.
%% Expected: exit 0: [{msg,1,[1,{1,
{module, clause_shows_message}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,clause_shows_message},{atom,main},0}.
{label,2}.
{allocate,2,0}.
{init_yregs,{list,[{y,0},{y,1}]}}.
{move,{integer,10},{x,0}}.
{call_ext,1,{extfunc,world,messages_of_another,1}}.
{'try',{y,0},{f,3}}.
{call,1,{f,6}}.
{try_end,{y,0}}.
{deallocate,2}.
return.
{label,3}.
{try_case,{y,0}}.
{move,{x,2},{x,0}}.
build_stacktrace.
{move,{x,0},{y,1}}.
{call_ext,1,{extfunc,world,use_message,1}}.
{move,{y,1},{x,0}}.
{call_ext,1,{extfunc,world,show_trace,1}}.
{move,{y,1},{x,0}}.
{call_ext,1,{extfunc,world,show_kept,1}}.
{deallocate,2}.
return.
{function, rcv, 1, 6}.
{label,5}.
{func_info,{atom,clause_shows_message},{atom,rcv},1}.
{label,6}.
{label,9}.
{loop_rec,{f,8},{x,0}}.
{jump,{f,5}}.
return.
{label,8}.
{wait,{f,9}}.
