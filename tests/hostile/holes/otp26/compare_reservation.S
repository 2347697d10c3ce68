%% bs_match compares with a number that is no small one: it must take no room from a reservation.
%% Expected: exit 0:
{module, compare_reservation}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,compare_reservation},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{label,9}.
{call_ext,0,{extfunc,world,ones,0}}.
{test,bs_start_match3,{f,1},1,[{x,0}],{x,1}}.
{test_heap,3001,2}.
{bs_match,{f,4},{x,1},{list,[{atom,'=:='},nil,64,18446744073709551615]}}.
{put_tuple2,{x,0},{list,[{repeat,3000,{integer,7}}]}}.
{call_ext,1,{extfunc,world,use,1}}.
{call_last,0,{f,2},0}.
{label,4}.
{deallocate,0}.
return.
