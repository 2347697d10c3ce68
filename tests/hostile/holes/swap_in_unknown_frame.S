%% swap wrote y registers where frames of different shapes had met: the handler that had been settled
%% before believed the old type.
%% Expected: exit 2: stack frame is missing
{module, swap_in_unknown_frame}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,swap_in_unknown_frame},{atom,main},0}.
{label,2}.
{allocate,2,0}.
{init_yregs,{list,[{y,0},{y,1}]}}.
{move,{literal,{1,2,3}},{y,1}}.
{'try',{y,0},{f,3}}.
{call_ext,0,{extfunc,erlang,processes,0}}.
{test,is_nil,{f,4},[{x,0}]}.
{try_end,{y,0}}.
{move,{integer,7},{x,0}}.
{jump,{f,4}}.
{label,4}.
{move,{integer,7},{x,1}}.
{swap,{y,1},{x,1}}.
{badmatch,{atom,x}}.
{label,3}.
{try_case,{y,0}}.
{get_tuple_element,{y,1},2,{x,0}}.
{deallocate,2}.
return.
