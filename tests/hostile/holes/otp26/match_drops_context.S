%% A command of bs_match collects and keeps fewer registers than the context is in, which the next one reads.
%% Expected: exit 2: is not kept
{module, match_drops_context}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,match_drops_context},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{move,{integer,2000},{x,0}}.
{call,1,{f,4}}.
{deallocate,0}.
return.
{function, loop, 1, 4}.
{label,3}.
{func_info,{atom,match_drops_context},{atom,loop},1}.
{label,4}.
{test,is_lt,{f,6},[{integer,0},{x,0}]}.
{allocate,1,1}.
{move,{x,0},{y,0}}.
{move,{literal,<<1,2,3,4,5,6,7,8,9,10,11,12>>},{x,1}}.
{test,bs_start_match3,{f,5},2,[{x,1}],{x,7}}.
{bs_match,{f,5},{x,7},{list,[{atom,ensure_at_least},64,1,{atom,binary},0,nil,8,1,{x,0},{atom,binary},0,nil,8,1,{x,1},{atom,binary},0,nil,8,1,{x,0},{atom,binary},0,nil,8,1,{x,0}]}}.
{move,{x,0},{x,0}}.
{call_ext,1,{extfunc,world,show_bytes,1}}.
{gc_bif,'-',{f,0},0,[{y,0},{integer,1}],{x,0}}.
{call_last,1,{f,4},1}.
{label,5}.
{deallocate,1}.
{label,6}.
{move,{atom,done},{x,0}}.
return.
