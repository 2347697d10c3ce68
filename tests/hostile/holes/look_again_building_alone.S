%% The same without another process.
%% Expected: exit 2: binary construction steps are out of order
{module, look_again_building_alone}.
{exports, [{main,0}]}.
{attributes, []}.
{labels, 20}.
{function, main, 0, 2}.
{label,1}.
{func_info,{atom,look_again_building_alone},{atom,main},0}.
{label,2}.
{allocate,0,0}.
{move,{integer,100},{x,0}}.
{call_ext,1,{extfunc,world,messages,1}}.
{call,0,{f,6}}.
{call_ext,1,{extfunc,erlang,display,1}}.
{deallocate,0}.
return.
{function, rcv, 0, 6}.
{label,5}.
{func_info,{atom,look_again_building_alone},{atom,rcv},0}.
{label,6}.
{allocate,1,0}.
{init_yregs,{list,[{y,0}]}}.
{move,{integer,100000},{x,0}}.
bs_init_writable.
{bs_private_append,{f,0},{integer,80000},8,{x,0},{field_flags,[]},{y,0}}.
{label,7}.
{bs_put_integer,{f,9},{integer,64},1,{field_flags,[]},{integer,16#1122334455667788}}.
{bs_put_integer,{f,9},{integer,64},1,{field_flags,[]},{integer,16#1122334455667788}}.
{bs_put_integer,{f,9},{integer,64},1,{field_flags,[]},{integer,16#1122334455667788}}.
{loop_rec,{f,8},{x,0}}.
{move,{literal,<<>>},{x,1}}.
{bs_private_append,{f,0},{integer,80000},8,{x,1},{field_flags,[]},{y,0}}.
{loop_rec_end,{f,7}}.
{label,8}.
{move,{atom,ok},{x,0}}.
{deallocate,1}.
return.
{label,9}.
{move,{atom,full},{x,0}}.
{deallocate,1}.
return.
