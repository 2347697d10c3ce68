%% put_map_assoc with a label for its failure, which is raised all the same, with y1 no tuple any more.
{module, map_label}.
{exports, [{map_label,0}]}.
{attributes, []}.
{labels, 8}.

{function, map_label, 0, 2}.
{label,1}.
{func_info,{atom,map_label},{atom,map_label},0}.
{label,2}.
{allocate,2,0}.
{init_yregs,{list,[{y,0},{y,1}]}}.
{move,{literal,{1,2,3}},{y,1}}.
{'try',{y,0},{f,3}}.
{call_ext,0,{extfunc,erlang,processes,0}}.
{move,{integer,7},{y,1}}.
{move,{atom,a},{x,0}}.
{put_map_assoc,{f,4},{x,0},{x,0},1,{list,[{atom,k},{atom,v}]}}.
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
