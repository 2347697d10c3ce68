%% A timer armed by wait_timeout outlived its receive and resumed another function's wait, in the
%% first one's code with the second one's frame.
%% Expected: exit 7:
{module, timer_of_another_receive}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,timer_of_another_receive},{atom,main},0}.
{label,2}.
{allocate,1,0}.
{init_yregs,{list,[{y,0}]}}.
{call_ext,0,{extfunc,world,send_and_end,0}}.
{call,0,{f,6}}.
{call,0,{f,12}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{deallocate,1}.
return.
{function, arm, 0, 6}.
{label,5}.
{func_info,{atom,timer_of_another_receive},{atom,arm},0}.
{label,6}.
{allocate,30,0}.
{init_yregs,{list,[{y,0},{y,1},{y,2},{y,3},{y,4},{y,5},{y,6},{y,7},{y,8},{y,9},{y,10},{y,11},{y,12},{y,13},{y,14},{y,15},{y,16},{y,17},{y,18},{y,19},{y,20},{y,21},{y,22},{y,23},{y,24},{y,25},{y,26},{y,27},{y,28}]}}.
{move,{literal,{1,2,3}},{y,29}}.
{label,7}.
{wait_timeout,{f,8},{integer,300}}.
timeout.
{move,{y,29},{x,0}}.
{get_tuple_element,{y,29},2,{x,0}}.
{deallocate,30}.
return.
{label,8}.
{deallocate,30}.
{move,{atom,left},{x,0}}.
return.
{function, g, 0, 12}.
{label,11}.
{func_info,{atom,timer_of_another_receive},{atom,g},0}.
{label,12}.
{allocate,0,0}.
{label,13}.
{loop_rec,{f,14},{x,0}}.
{loop_rec_end,{f,13}}.
{label,14}.
{wait,{f,13}}.
