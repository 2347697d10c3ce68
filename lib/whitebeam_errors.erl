%% What shells and crash reports say of a badarg about groups, policies and other options of {whitebeam, _}: the texts of
%% vm/process/option_faults.def. The last argument of those functions is what is wrong.
-module(whitebeam_errors).
-export([format_error/2]).

format_error(_Reason, [{_M, _F, Args, Info} | _]) ->
    case lists:keyfind(error_info, 1, Info) of
        {error_info, #{cause := Cause}} when is_list(Args), Args =/= [] -> #{length(Args) => whitebeam:fault_text(Cause)};
        _ -> #{}
    end.
