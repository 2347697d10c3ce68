%% move x0,x0 as the first instruction of a function is handler 0, which also meant "none": the
%% warm-up jumped to itself for ever.
%% Expected: exit 0:
{module, first_handler}.
{exports, [{main,0},{f,1}]}.
{attributes, []}.
{labels, 13}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,first_handler},{atom,main},0}.
{label,2}.
{move,{atom,a},{x,0}}.
{call_only,1,{f,12}}.
{function, f, 1, 12}.
{label,11}.
{func_info,{atom,first_handler},{atom,f},1}.
{label,12}.
{move,{x,0},{x,0}}.
return.
