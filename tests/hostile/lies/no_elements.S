%% Lists of no elements, with which OTP 25's machine ends (bus errors and worse): what is not refused must look before it goes on.
{module, no_elements}.
{exports, [{fields,1},{fields_of_map,1},{same_key_twice,2},{nothing_built,0},{nothing_built_unit,0},{chosen,1}]}.
{attributes, []}.
{labels, 40}.
{function, fields, 1, 2}.
{label,1}.
{func_info,{atom,no_elements},{atom,fields},1}.
{label,2}.
{test,has_map_fields,{f,3},{x,0},{list,[]}}.
{move,{atom,yes},{x,0}}.
return.
{label,3}.
{move,{atom,no},{x,0}}.
return.
{function, fields_of_map, 1, 5}.
{label,4}.
{func_info,{atom,no_elements},{atom,fields_of_map},1}.
{label,5}.
{test,is_map,{f,6},[{x,0}]}.
{test,has_map_fields,{f,6},{x,0},{list,[]}}.
{move,{atom,yes},{x,0}}.
return.
{label,6}.
{move,{atom,no},{x,0}}.
return.
{function, same_key_twice, 2, 8}.
{label,7}.
{func_info,{atom,no_elements},{atom,same_key_twice},2}.
{label,8}.
{put_map_assoc,{f,0},{literal,#{}},{x,0},2,{list,[{atom,k},{x,0},{atom,k},{x,1}]}}.
{allocate,1,1}.
{move,{x,0},{y,0}}.
{call_ext,1,{extfunc,maps,to_list,1}}.
{move,{y,0},{x,1}}.
{move,{atom,k},{x,0}}.
{call_ext,2,{extfunc,maps,get,2}}.
{move,{y,0},{x,0}}.
{call_ext_last,1,{extfunc,erlang,term_to_binary,1},1}.
{function, nothing_built, 0, 10}.
{label,9}.
{func_info,{atom,no_elements},{atom,nothing_built},0}.
{label,10}.
{bs_create_bin,{f,0},0,0,1,{x,0},{list,[]}}.
{call_ext_only,1,{extfunc,erlang,term_to_binary,1}}.
{function, nothing_built_unit, 0, 12}.
{label,11}.
{func_info,{atom,no_elements},{atom,nothing_built_unit},0}.
{label,12}.
{bs_create_bin,{f,13},0,0,8,{x,0},{list,[]}}.
{call_ext_only,1,{extfunc,erlang,term_to_binary,1}}.
{label,13}.
{move,{atom,no},{x,0}}.
return.
{function, chosen, 1, 15}.
{label,14}.
{func_info,{atom,no_elements},{atom,chosen},1}.
{label,15}.
{select_val,{x,0},{f,16},{list,[]}}.
{label,16}.
{move,{atom,no},{x,0}}.
return.
