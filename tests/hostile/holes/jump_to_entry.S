%% A receive that waits at its function's entry: a debugger took what came back there for a call, and its arguments from
%% registers that hold nothing. (A native function that replaces such a one did the same.)
%% Expected: exit 0: {msg,1,[here]}
{module, jump_to_entry}.
{exports, [{main,0},{breakpoint,3}]}.
{attributes, []}.
{labels, 10}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,jump_to_entry},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{move,{atom,jump_to_entry},{x,1}}.
{move,{atom,error_handler},{x,0}}.
{call_ext,2,{extfunc,erlang,process_flag,2}}.
{move,{literal,{jump_to_entry,waits,1}},{x,0}}.
{call_ext,1,{extfunc,world,break_later,1}}.
{move,{integer,100},{x,1}}.
{move,{integer,1},{x,0}}.
{call_ext,2,{extfunc,lists,seq,2}}.
{call,1,{f,4}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{deallocate,0}.
return.
{function, waits, 1, 4}.
{label,3}.
{func_info,{atom,jump_to_entry},{atom,waits},1}.
{label,4}.
{loop_rec,{f,5},{x,0}}.
remove_message.
return.
{label,5}.
{wait,{f,4}}.
{function, breakpoint, 3, 7}.
{label,6}.
{func_info,{atom,jump_to_entry},{atom,breakpoint},3}.
{label,7}.
{move,{atom,debugger},{x,0}}.
return.
