%% bs_match: 2^62 times a unit of 4 is 0 in 64 bits, which is there for sure. The machine knows that it
%% cannot match and leaves the destination as it was, here the context; the validator took it for the integer.
%% Expected: exit 2: may be a match context
{module, match_wraps_round}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 10}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,match_wraps_round},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{move,{literal,<<1,2,3,4>>},{x,0}}.
{call,1,{f,4}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{deallocate,0}.
return.
{function, taken, 1, 4}.
{label,3}.
{func_info,{atom,match_wraps_round},{atom,taken},1}.
{label,4}.
{test,bs_start_match3,{f,8},1,[{x,0}],{x,1}}.
{bs_match,{f,9},{x,1},{list,[{atom,integer},2,nil,4611686018427387904,4,{x,1}]}}.
{label,9}.
{move,{x,1},{x,0}}.
{label,8}.
return.
