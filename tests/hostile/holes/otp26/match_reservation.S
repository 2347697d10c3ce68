%% bs_match with live count [] takes room from a reservation that was believed untouched.
%% Expected: exit 2:
{module, match_reservation}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,match_reservation},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{label,9}.
{call_ext,0,{extfunc,world,ones,0}}.
{test,bs_start_match3,{f,1},1,[{x,0}],{x,1}}.
{test_heap,3001,2}.
{bs_match,{f,4},{x,1},{list,[{atom,integer},nil,nil,4000,64,{x,2}]}}.
{put_tuple2,{x,0},{list,[{repeat,3000,{integer,7}}]}}.
{call_ext,1,{extfunc,world,use,1}}.
{call_last,0,{f,2},0}.
{label,4}.
{deallocate,0}.
return.
