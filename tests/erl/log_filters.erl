%% What the default handler lets through: events without a domain and those of OTP's own.
-module(log_filters).
-export([main/1]).

main(_) ->
    {ok, Config} = logger:get_handler_config(default),
    #{level := Level, filters := Filters, filter_default := Default, formatter := Formatter} = Config,
    io:format("~p~n~p~n~p~n~p~n", [Level, Filters, Default, Formatter]),
    [io:format("~0p: ~p~n", [Domain, passes(Filters, Default, Domain)]) || Domain <- [none, [], [otp], [otp, sasl], [otp, mine], [mine]]].

passes(Filters, Default, Domain) ->
    Meta = case Domain of none -> #{}; _ -> #{domain => Domain} end,
    filter(Filters, #{level => error, msg => {string, "x"}, meta => Meta#{gl => group_leader()}}, Default).

filter([{_, {Fun, Arg}} | Rest], Event, Default) ->
    case Fun(Event, Arg) of
        stop -> false;
        ignore -> filter(Rest, Event, Default);
        _ -> true
    end;
filter([], _, Default) -> Default =:= log.
