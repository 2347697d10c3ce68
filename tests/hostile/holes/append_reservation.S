%% The heap operand of bs_append as an allocation list: the loader reserved as many words as the
%% list's number, the validator as many as it says.
%% Expected: exit 0: 
{module, append_reservation}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,append_reservation},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{repeat,100,{call,0,{f,6}}}.
{deallocate,0}.
return.
{function, g, 0, 6}.
{label,5}.
{func_info,{atom,append_reservation},{atom,g},0}.
{label,6}.
{move,{literal,<<1,2,3>>},{x,0}}.
{bs_append,{f,0},{integer,8},{alloc,[{words,4000},{floats,0},{funs,0}]},1,8,{x,0},{field_flags,[]},{x,0}}.
{put_tuple2,{x,0},{list,[{repeat,3000,{integer,7}}]}}.
return.
