%% bs_start_match4 that cannot fail, it says, on what cannot be matched: its exception came to a handler that
%% took y1 for the tuple it had been.
{module, match_no_fail}.
{exports, [{match_no_fail,0}]}.
{attributes, []}.
{labels, 8}.

{function, match_no_fail, 0, 2}.
{label,1}.
{func_info,{atom,match_no_fail},{atom,match_no_fail},0}.
{label,2}.
{allocate,2,0}.
{init_yregs,{list,[{y,0},{y,1}]}}.
{move,{literal,{1,2,3}},{y,1}}.
{'try',{y,0},{f,3}}.
{call_ext,0,{extfunc,erlang,processes,0}}.
{move,{integer,7},{y,1}}.
{move,{atom,a},{x,0}}.
{bs_start_match4,{atom,no_fail},1,{x,0},{x,0}}.
{try_end,{y,0}}.
{deallocate,2}.
return.
{label,3}.
{try_case,{y,0}}.
{get_tuple_element,{y,1},2,{x,0}}.
{deallocate,2}.
return.
