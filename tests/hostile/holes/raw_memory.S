%% bs_init2 handed out memory as it was.
%% Expected: exit 0: {3000,0}
{module, raw_memory}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 5}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,raw_memory},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{call_ext,0,{extfunc,world,churn,0}}.
{bs_init2,{f,0},48,0,0,{field_flags,[]},{x,0}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{bs_init2,{f,0},3000,0,0,{field_flags,[]},{x,0}}.
{call_ext,1,{extfunc,world,show_bytes,1}}.
{deallocate,0}.
return.
