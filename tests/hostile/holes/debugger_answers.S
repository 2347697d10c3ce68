%% A debugger answers in the place of a local function; its callers believed that function's own result and took the answer
%% apart without a look.
%% Expected: exit 1: check_tuple
{module, debugger_answers}.
{exports, [{main,0},{breakpoint,3}]}.
{attributes, []}.
{labels, 10}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,debugger_answers},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{move,{atom,debugger_answers},{x,1}}.
{move,{atom,error_handler},{x,0}}.
{call_ext,2,{extfunc,erlang,process_flag,2}}.
{move,{literal,{debugger_answers,pair,0}},{x,0}}.
{move,{atom,true},{x,1}}.
{call_ext,2,{extfunc,erts_debug,breakpoint,2}}.
{call,0,{f,4}}.
{get_tuple_element,{x,0},1,{x,0}}.
{call_ext,1,{extfunc,world,show_kept,1}}.
{deallocate,0}.
return.
{function, pair, 0, 4}.
{label,3}.
{func_info,{atom,debugger_answers},{atom,pair},0}.
{label,4}.
{move,{literal,{a,b}},{x,0}}.
return.
{function, breakpoint, 3, 6}.
{label,5}.
{func_info,{atom,debugger_answers},{atom,breakpoint},3}.
{label,6}.
{move,{literal,[1,2]},{x,0}}.
return.
