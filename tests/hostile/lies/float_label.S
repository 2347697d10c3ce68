%% Float arithmetic with a label for its failure, which is raised all the same, with y1 no tuple any more.
{module, float_label}.
{exports, [{float_label,0}]}.
{attributes, []}.
{labels, 8}.

{function, float_label, 0, 2}.
{label,1}.
{func_info,{atom,float_label},{atom,float_label},0}.
{label,2}.
{allocate,2,0}.
{init_yregs,{list,[{y,0},{y,1}]}}.
{move,{literal,{1,2,3}},{y,1}}.
{'try',{y,0},{f,3}}.
{call_ext,0,{extfunc,erlang,processes,0}}.
{fmove,{float,1.0e308},{fr,0}}.
{move,{integer,7},{y,1}}.
{fmul,{f,4},{fr,0},{fr,0},{fr,1}}.
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
