%% Orders and cancellations (after *Scala Actors*).
%%
%% An order process takes orders and cancellations from many customers. A cancellation may overtake
%% its order on the way through a slow clerk; it then waits in the mailbox, unreceived, until its
%% order has come: selective receive instead of a table of early cancellations.
-module(orders).
-export([main/1]).

main(_Args) ->
    Shop = spawn_link(fun() -> shop(#{}, []) end),
    Clerk = spawn_link(fun() -> slow_clerk(Shop) end),
    Customers = [spawn_monitor(fun() -> customer(Shop, Clerk, N) end) || N <- lists:seq(1, 30)],
    [receive {'DOWN', Ref, process, Pid, normal} -> ok end || {Pid, Ref} <- Customers],
    Shop ! {close, self()},
    receive
        {closed, Open, Cancelled} ->
            io:format("delivered: ~w~n", [Open]),
            io:format("cancelled: ~w~n", [Cancelled])
    end.

%% Every third customer changes their mind, through a faster channel than the order took.
customer(Shop, Clerk, N) when N rem 3 =:= 0 ->
    Shop ! {cancel, N, self()},
    Clerk ! {order, N, self()},
    receive {cancelled, N} -> ok end;
customer(_, Clerk, N) ->
    Clerk ! {order, N, self()},
    receive {accepted, N} -> ok end.

slow_clerk(Shop) ->
    receive Order -> receive after 1 -> Shop ! Order end end,
    slow_clerk(Shop).

shop(Open, Cancelled) ->
    receive
        {order, N, Customer} -> ordered(N, Customer, Open, Cancelled);
        {close, From} -> From ! {closed, lists:sort(maps:keys(Open)), lists:sort(Cancelled)}
    end.

%% With the order in hand, is there a cancellation for just this one, however early it came?
ordered(N, Customer, Open, Cancelled) ->
    receive
        {cancel, N, Customer} ->
            Customer ! {cancelled, N},
            shop(Open, [N | Cancelled])
    after 0 ->
        Customer ! {accepted, N},
        shop(Open#{N => Customer}, Cancelled)
    end.
