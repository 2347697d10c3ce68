%% A y register with a match context on one path and nothing on the other: clearing the frame for a
%% BIF that may fail made that "any term".
%% Expected: exit 2: may be a match context
{module, context_or_nothing}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,context_or_nothing},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{call_ext,0,{extfunc,erlang,processes,0}}.
{call_ext,1,{extfunc,erlang,term_to_binary,1}}.
{call_last,1,{f,7},0}.
{function, f, 1, 7}.
{label,6}.
{func_info,{atom,context_or_nothing},{atom,f},1}.
{label,7}.
{test,bs_start_match3,{f,6},1,[{x,0}],{x,1}}.
{allocate,1,2}.
{test,is_eq_exact,{f,4},[{x,0},{literal,<<"abc">>}]}.
{jump,{f,5}}.
{label,4}.
{move,{x,1},{y,0}}.
{label,5}.
{bif,is_record,{f,0},[{x,0},{atom,a}],{x,2}}.
{move,{y,0},{x,0}}.
{call_ext,1,{extfunc,erlang,phash2,1}}.
{deallocate,1}.
return.
