%% Where frames of different sizes met, nobody knew any more that one of them had part of a queued
%% message in it, which then waited there.
%% Expected: exit 2: is part of a queued message
{module, frame_keeps_message}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 30}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,frame_keeps_message},{atom,main},0}.
{label,2}.
{allocate,1,0}.
{init_yregs,{list,[{y,0}]}}.
{move,{integer,10},{x,0}}.
{call_ext,1,{extfunc,world,messages_of_another,1}}.
{move,{integer,30},{x,0}}.
{call_ext,1,{extfunc,world,collected_with_messages,1}}.
{'catch',{y,0},{f,3}}.
{call,0,{f,6}}.
{label,3}.
{catch_end,{y,0}}.
{call_ext,1,{extfunc,world,use_message,1}}.
{call_ext,1,{extfunc,world,show_kept,1}}.
{deallocate,1}.
return.
{function, rcv, 0, 6}.
{label,5}.
{func_info,{atom,frame_keeps_message},{atom,rcv},0}.
{label,6}.
{loop_rec,{f,8},{x,0}}.
{test,is_tuple,{f,12},[{x,0}]}.
{allocate_zero,2,1}.
{move,{x,0},{y,0}}.
{get_tuple_element,{x,0},2,{y,1}}.
{jump,{f,12}}.
{label,8}.
{wait,{f,6}}.
{label,12}.
{loop_rec_end,{f,13}}.
{label,13}.
{loop_rec,{f,14},{x,0}}.
remove_message.
{test_heap,1000,1}.
{test_heap,2000,1}.
{label,15}.
{wait_timeout,{f,15},{integer,300}}.
timeout.
{loop_rec,{f,14},{x,0}}.
remove_message.
{test_heap,1000,1}.
{label,16}.
{wait_timeout,{f,16},{integer,300}}.
timeout.
{loop_rec,{f,14},{x,0}}.
remove_message.
{test_heap,100000,1}.
{badmatch,{x,0}}.
{label,14}.
{wait,{f,13}}.
