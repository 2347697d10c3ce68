%% The same, and the context becomes part of a tuple.
%% Expected: exit 2: may be a match context
{module, map_keeps_context_in_tuple}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,map_keeps_context_in_tuple},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{call_ext,0,{extfunc,erlang,processes,0}}.
{call_ext,1,{extfunc,erlang,term_to_binary,1}}.
{test,bs_start_match3,{f,1},1,[{x,0}],{x,1}}.
{move,{literal,#{b => 1}},{x,2}}.
{get_map_elements,{f,4},{x,2},{list,[{atom,a},{x,1}]}}.
{label,4}.
{move,{x,1},{x,0}}.
{test_heap,3,1}.
{put_tuple2,{x,0},{list,[{x,0},{x,0}]}}.
{call_ext,1,{extfunc,erlang,phash2,1}}.
{deallocate,0}.
return.
