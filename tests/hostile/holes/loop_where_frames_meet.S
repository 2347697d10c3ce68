%% A loop behind a label where frames had met was forgotten when a third path came to the label with a
%% frame and told nothing new. Nobody ends it: it counts no reductions.
%% Expected: exit 2: a loop that lets no other process
{module, loop_where_frames_meet}.
{exports, [{main,0},{f,3}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,loop_where_frames_meet},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{move,{literal,{1,2}},{x,0}}.
{move,{atom,a},{x,1}}.
{move,{atom,a},{x,2}}.
{call_ext_last,3,{extfunc,loop_where_frames_meet,f,3},0}.
{function, f, 3, 4}.
{label,3}.
{func_info,{atom,loop_where_frames_meet},{atom,f},3}.
{label,4}.
{test,is_nil,{f,5},[{x,0}]}.
{allocate_zero,1,3}.
{test,is_atom,{f,5},[{x,1}]}.
{jump,{f,7}}.
{label,5}.
{test,is_tuple,{f,6},[{x,0}]}.
{jump,{f,5}}.
{label,6}.
{badmatch,{x,0}}.
{label,7}.
{test,is_pid,{f,5},[{x,2}]}.
{badmatch,{x,0}}.
