%% A match context as an argument of a function that no clause fits: the stack trace showed it.
{module, context_in_clause}.
{exports, [{context_in_clause,1}]}.
{attributes, []}.
{labels, 10}.

{function, context_in_clause, 1, 2}.
{label,1}.
{func_info,{atom,context_in_clause},{atom,context_in_clause},1}.
{label,2}.
{move,{literal,<<1,2,3>>},{x,0}}.
{call_only,1,{f,4}}.

{function, rest, 1, 4}.
{label,3}.
{func_info,{atom,context_in_clause},{atom,rest},1}.
{label,4}.
{test,bs_start_match3,{f,3},1,[{x,0}],{x,1}}.
{test,bs_get_integer2,{f,3},2,[{x,1},{integer,8},1,{field_flags,[unsigned,big]}],{x,2}}.
{move,{x,1},{x,0}}.
{jump,{f,3}}.
