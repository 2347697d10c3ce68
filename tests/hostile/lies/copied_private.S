%% bs_private_append of a binary that has no room of its own is copied; what was reserved before it must be left.
{module, copied_private}.
{exports, [{copied_private,0}]}.
{attributes, []}.
{labels, 10}.

{function, copied_private, 0, 2}.
{label,1}.
{func_info,{atom,copied_private},{atom,copied_private},0}.
{label,2}.
{allocate,0,0}.
{move,{integer,3000},{x,0}}.
{move,nil,{x,1}}.
{call_last,2,{f,4},0}.

{function, loop, 2, 4}.
{label,3}.
{func_info,{atom,copied_private},{atom,loop},2}.
{label,4}.
{test,is_ne_exact,{f,5},[{x,0},{integer,0}]}.
{move,{literal,<<"no room of its own">>},{x,2}}.
{test_heap,6,3}.
{bs_private_append,{f,0},{integer,8},1,{x,2},{field_flags,[]},{x,2}}.
{bs_put_integer,{f,0},{integer,8},1,{field_flags,[]},{integer,7}}.
{put_list,{x,2},{x,1},{x,1}}.
{put_list,{x,2},{x,1},{x,1}}.
{put_list,{x,2},{x,1},{x,1}}.
{gc_bif,'-',{f,0},2,[{x,0},{integer,1}],{x,0}}.
{call_only,2,{f,4}}.
{label,5}.
{move,{x,1},{x,0}}.
{call_ext_only,1,{extfunc,erlang,length,1}}.
