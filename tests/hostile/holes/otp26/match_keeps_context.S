%% bs_match that fails leaves a destination as it was: a match context.
%% Expected: exit 2: may be a match context
{module, match_keeps_context}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,match_keeps_context},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{call_ext,0,{extfunc,erlang,processes,0}}.
{call_ext,1,{extfunc,erlang,term_to_binary,1}}.
{test,bs_start_match3,{f,1},1,[{x,0}],{x,1}}.
{bs_match,{f,4},{x,1},{list,[{atom,ensure_at_least},100000,1,{atom,integer},2,nil,8,1,{x,1}]}}.
{label,4}.
{move,{x,1},{x,0}}.
{call_ext,1,{extfunc,erlang,phash2,1}}.
{deallocate,0}.
return.
