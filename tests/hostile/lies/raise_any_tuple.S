%% The stack trace given to raise is a tuple of the program's own making.
{module, raise_any_tuple}.
{exports, [{raise_with_any_tuple,1}]}.
{attributes, []}.
{labels, 10}.

{function, raise_with_any_tuple, 1, 4}.
{label,3}.
{func_info,{atom,raise_any_tuple},{atom,raise_with_any_tuple},1}.
{label,4}.
{allocate,1,1}.
{init_yregs,{list,[{y,0}]}}.
{'try',{y,0},{f,5}}.
{move,{literal,{a,[b|c],d}},{x,0}}.
{raise,{x,0},{atom,reason}}.
{label,5}.
{try_case,{y,0}}.
{move,{x,2},{x,0}}.
build_stacktrace.
{deallocate,1}.
return.
