%% min/2 "never fails", and the machine had no body for it: the fail label, which nobody had checked,
%% was jumped to with a frame too many.
%% Expected: exit 0|2:
{module, guard_bif_without_body}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,guard_bif_without_body},{atom,main},0}.
{label,2}.
{allocate,2,0}.
{init_yregs,{list,[{y,0},{y,1}]}}.
{call,0,{f,12}}.
{deallocate,2}.
return.
{function, f, 0, 12}.
{label,11}.
{func_info,{atom,guard_bif_without_body},{atom,f},0}.
{label,12}.
{test,is_eq_exact,{f,14},[{literal,<<1>>},{literal,<<1>>}]}.
{allocate,2,0}.
{init_yregs,{list,[{y,0},{y,1}]}}.
{move,{literal,{9,9,9}},{y,0}}.
{move,{integer,12345678},{y,1}}.
{bif,min,{f,14},[{integer,3},{integer,4}],{x,0}}.
{deallocate,2}.
return.
{label,14}.
{move,nil,{x,0}}.
return.
