%% <<X/binary, X/binary>>, where the first X is grown in place before the second is read.
{module, append_to_itself}.
{exports, [{append_to_itself,0}]}.
{attributes, []}.
{labels, 10}.

{function, append_to_itself, 0, 2}.
{label,1}.
{func_info,{atom,append_to_itself},{atom,append_to_itself},0}.
{label,2}.
{allocate,0,0}.
{move,{integer,256},{x,0}}.
bs_init_writable.
{bs_create_bin,{f,0},0,1,8,{x,0},{list,[{atom,append},1,8,nil,{x,0},{atom,all},
    {atom,string},2,8,nil,{string,<<"0123456789012345678901234567890123456789012345678901234567890123456789">>},{integer,70}]}}.
{bs_create_bin,{f,0},0,1,8,{x,0},{list,[{atom,private_append},1,8,nil,{x,0},{atom,all},
    {atom,binary},2,8,nil,{x,0},{atom,all},{atom,binary},3,8,nil,{x,0},{atom,all},{atom,binary},4,8,nil,{x,0},{atom,all},
    {atom,binary},5,8,nil,{x,0},{atom,all},{atom,binary},6,8,nil,{x,0},{atom,all},{atom,binary},7,8,nil,{x,0},{atom,all}]}}.
{deallocate,0}.
return.
