%% A binary that is too large, with a label for that: it was raised all the same, with y1 no tuple any more.
{module, size_label}.
{exports, [{size_label,0}]}.
{attributes, []}.
{labels, 8}.

{function, size_label, 0, 2}.
{label,1}.
{func_info,{atom,size_label},{atom,size_label},0}.
{label,2}.
{allocate,2,0}.
{init_yregs,{list,[{y,0},{y,1}]}}.
{move,{literal,{1,2,3}},{y,1}}.
{'try',{y,0},{f,3}}.
{call_ext,0,{extfunc,erlang,processes,0}}.
{move,{integer,7},{y,1}}.
{move,{integer,576460752303423487},{x,0}}.
{bs_create_bin,{f,4},0,1,1,{x,0},{list,[{atom,integer},1,8,nil,{integer,1},{x,0}]}}.
{label,4}.
{try_end,{y,0}}.
{move,{atom,a},{x,0}}.
{deallocate,2}.
return.
{label,3}.
{try_case,{y,0}}.
{get_tuple_element,{y,1},2,{x,0}}.
{deallocate,2}.
return.
