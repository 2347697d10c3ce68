%% A tuple that is to become an element of itself.
{module, own_element}.
{exports, [{own_element,1}]}.
{attributes, []}.
{labels, 10}.

{function, own_element, 1, 9}.
{label,8}.
{func_info,{atom,own_element},{atom,own_element},1}.
{label,9}.
{allocate,0,1}.
{move,{atom,a},{x,2}}.
{move,{literal,{1,2,3}},{x,1}}.
{move,{integer,1},{x,0}}.
{call_ext,3,{extfunc,erlang,setelement,3}}.
{set_tuple_element,{x,0},{x,0},1}.
{call_ext,1,{extfunc,erlang,phash2,1}}.
{deallocate,0}.
return.
