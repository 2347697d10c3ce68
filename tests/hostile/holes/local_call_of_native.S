%% A local call of a function that the machine implements handed its native body a match context.
%% Expected: exit 2: may be a match context
{module, lists}.
{exports, [{main,0},{reverse,2}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,lists},{atom,main},0}.
{label,2}.
{allocate,1,0}.
{init_yregs,{list,[{y,0}]}}.
{call_ext,0,{extfunc,erlang,processes,0}}.
{call_ext,1,{extfunc,erlang,term_to_binary,1}}.
{test,bs_start_match3,{f,1},1,[{x,0}],{x,1}}.
{move,{literal,[{a,b},<<"abc">>]},{x,0}}.
{call,2,{f,6}}.
{call_ext,1,{extfunc,erlang,phash2,1}}.
{deallocate,1}.
return.
{function, reverse, 2, 6}.
{label,5}.
{func_info,{atom,lists},{atom,reverse},2}.
{label,6}.
{move,{atom,false},{x,0}}.
return.
