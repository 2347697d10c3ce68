%% A failing block that two paths share which are inside different catches; neither test that leads there can fail, so
%% that OTP, which knows types, does not see that they differ. The compiler makes such.
{module, shared_failure}.
{exports, [{main,1},{module_info,0},{module_info,1}]}.
{attributes, []}.
{labels, 16}.

{function, main, 1, 2}.
  {label,1}.
    {func_info,{atom,shared_failure},{atom,main},1}.
  {label,2}.
    {allocate,0,1}.
    {move,{literal,[zero,one,two,three]},{x,0}}.
    {call_last,1,{f,4},0}.

{function, all, 1, 4}.
  {label,3}.
    {func_info,{atom,shared_failure},{atom,all},1}.
  {label,4}.
    {test,is_nonempty_list,{f,5},[{x,0}]}.
    {allocate,1,1}.
    {get_list,{x,0},{x,0},{y,0}}.
    {call,1,{f,10}}.
    {test_heap,2,1}.
    {put_list,{x,0},nil,{x,1}}.
    {move,{literal,"~p~n"},{x,0}}.
    {call_ext,2,{extfunc,io,format,2}}.
    {move,{y,0},{x,0}}.
    {call_last,1,{f,4},1}.
  {label,5}.
    {move,{atom,ok},{x,0}}.
    return.

{function, nested, 1, 10}.
  {label,9}.
    {func_info,{atom,shared_failure},{atom,nested},1}.
  {label,10}.
    {allocate,2,1}.
    {init_yregs,{list,[{y,0},{y,1}]}}.
    {'try',{y,1},{f,12}}.
    {'try',{y,0},{f,11}}.
    {call_ext,1,{extfunc,erlang,throw,1}}.
    {try_end,{y,0}}.
    {jump,{f,13}}.
  {label,11}.
    {try_case,{y,0}}.
    {test,is_eq_exact,{f,8},[{x,1},{atom,one}]}.
    {test_heap,4,3}.
    {put_tuple2,{x,0},{list,[{atom,inner},{x,1},{x,0}]}}.
    {test,is_tuple,{f,14},[{x,0}]}.
    {test,test_arity,{f,14},[{x,0},3]}.
    {jump,{f,13}}.
  {label,8}.
    {call_ext,1,{extfunc,erlang,exit,1}}.
  {label,13}.
    {try_end,{y,1}}.
    {deallocate,2}.
    return.
  {label,12}.
    {try_case,{y,1}}.
    {test_heap,4,3}.
    {put_tuple2,{x,0},{list,[{atom,outer},{x,1},{x,0}]}}.
    {test,is_tuple,{f,14},[{x,0}]}.
    {test,test_arity,{f,14},[{x,0},3]}.
    {deallocate,2}.
    return.
  {label,14}.
    if_end.
