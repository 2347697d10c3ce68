%% Savina, filter bank: samples through eight channels, each delay, filter, down-sampling, delay, filter; then added up.
-module(savina_filterbank).
-export([run/0, small/0]).

run() -> run(16_384, 2_048 + 2 * 16_384, 8).
small() -> run(16, 60, 3).

run(Columns, Simulations, Channels) ->
    Main = self(),
    Sink = spawn_link(fun() -> sink(0, 0.0, Main) end),
    Combine = spawn_link(fun() -> combine(Sink) end),
    Integrator = spawn_link(fun() -> integrator(Channels, Channels, #{}, Combine) end),
    Banks = [bank(J, Columns, Integrator) || J <- lists:seq(0, Channels - 1)],
    Branches = spawn_link(fun() -> branches(Banks) end),
    Source = spawn_link(fun() -> source(0, Main, Branches) end),
    produce(Simulations, Source),
    receive {sink, Count, Sum} -> {Count, Sum} end.

bank(J, Columns, Integrator) ->
    H = [1.0 * I * Columns + 1.0 * J * 8 + J + I + J + 1 || I <- lists:seq(0, Columns - 1)],
    F = [1.0 * I * J + 1.0 * J * J + J + I || I <- lists:seq(0, Columns - 1)],
    Tag = spawn_link(fun() -> tag(J, Integrator) end),
    Fir2 = spawn_link(fun() -> fir(F, Columns, Tag) end),
    Delay2 = spawn_link(fun() -> delay(Columns - 1, Fir2) end),
    Sample = spawn_link(fun() -> sample(0, Columns, Delay2) end),
    Fir1 = spawn_link(fun() -> fir(H, Columns, Sample) end),
    spawn_link(fun() -> delay(Columns - 1, Fir1) end).

produce(0, Source) -> Source ! exit;
produce(N, Source) ->
    Source ! boot,
    receive next -> produce(N - 1, Source) end.

source(Current, Producer, Next) ->
    receive
        boot ->
            Next ! {value, float(Current)},
            Producer ! next,
            source((Current + 1) rem 1000, Producer, Next);
        exit -> Next ! exit
    end.

branches(Banks) ->
    receive
        exit -> [Bank ! exit || Bank <- Banks], ok;
        Value -> [Bank ! Value || Bank <- Banks], branches(Banks)
    end.

delay(Length, Next) -> delay_line(queue:from_list(lists:duplicate(Length, 0.0)), Next).

delay_line(Line, Next) ->
    receive
        {value, New} ->
            {{value, Old}, Rest} = queue:out(Line),
            Next ! {value, Old},
            delay_line(queue:in(New, Rest), Next);
        exit -> Next ! exit
    end.

%% The newest sample first; what is behind the last coefficient is dropped now and then.
fir(Coefficients, Length, Next) -> fill(Length, [], Coefficients, Length, Next).

fill(N, Window, Coefficients, Length, Next) ->
    receive
        {value, X} when N > 1 -> fill(N - 1, [X | Window], Coefficients, Length, Next);
        {value, X} -> filter(0, [X | Window], Coefficients, Length, Next);
        exit -> Next ! exit
    end.

filter(Length, Window, Coefficients, Length, Next) ->
    filter(0, lists:sublist(Window, Length), Coefficients, Length, Next);
filter(Extra, Window, Coefficients, Length, Next) ->
    Next ! {value, dot(Coefficients, Window, 0.0)},
    receive
        {value, X} -> filter(Extra + 1, [X | Window], Coefficients, Length, Next);
        exit -> Next ! exit
    end.

dot([C | Cs], [X | Xs], Sum) -> dot(Cs, Xs, Sum + C * X);
dot([], _, Sum) -> Sum.

sample(N, Rate, Next) ->
    receive
        {value, _} = Value when N =:= 0 -> Next ! Value, sample(1 rem Rate, Rate, Next);
        {value, _} -> Next ! {value, 0.0}, sample((N + 1) rem Rate, Rate, Next);
        exit -> Next ! exit
    end.

tag(J, Next) ->
    receive
        {value, X} -> Next ! {value, J, X}, tag(J, Next);
        exit -> Next ! exit
    end.

%% The n-th values of all channels belong together.
integrator(0, _, _, Next) -> Next ! exit;
integrator(Open, Channels, Queues, Next) ->
    receive
        {value, J, X} ->
            More = Queues#{J => queue:in(X, maps:get(J, Queues, queue:new()))},
            integrator(Open, Channels, collect(More, Channels, Next), Next);
        exit ->
            integrator(Open - 1, Channels, Queues, Next)
    end.

collect(Queues, Channels, Next) ->
    case map_size(Queues) =:= Channels andalso not lists:any(fun queue:is_empty/1, maps:values(Queues)) of
        true -> Next ! {values, [queue:head(Q) || {_, Q} <- lists:sort(maps:to_list(Queues))]},
                maps:map(fun(_, Q) -> queue:tail(Q) end, Queues);
        false -> Queues
    end.

combine(Next) ->
    receive
        {values, Values} -> Next ! {value, lists:sum(Values)}, combine(Next);
        exit -> Next ! exit
    end.

sink(Count, Sum, Main) ->
    receive
        {value, X} -> sink(Count + 1, Sum + X, Main);
        exit -> Main ! {sink, Count, Sum}
    end.
