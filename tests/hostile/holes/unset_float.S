%% Float registers from 64 up could be read before they were written.
%% Expected: exit 2: register is read before it is written
{module, unset_float}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 5}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,unset_float},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{fmove,{fr,100},{fr,1}}.
{test_heap,{alloc,[{words,0},{floats,1},{funs,0}]},0}.
{fmove,{fr,1},{x,0}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{deallocate,0}.
return.
