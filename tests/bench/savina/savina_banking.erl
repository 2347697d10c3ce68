%% Savina, bank transaction: an account that is debited waits until the other one is credited.
%% Amounts are whole, so the total does not depend on the order.
-module(savina_banking).
-export([run/0, small/0]).

-define(BALANCE, 1_000_000_000).

run() -> run(1_000, 50_000).
small() -> run(20, 100).

run(Accounts, Transactions) ->
    Teller = self(),
    Pids = list_to_tuple([spawn_link(fun() -> account(?BALANCE) end) || _ <- lists:seq(1, Accounts)]),
    generate(Transactions, 123456, Pids, Teller),
    Moved = lists:sum(savina:gather(reply, Transactions)),
    [Pid ! {stop, Teller} || Pid <- tuple_to_list(Pids)],
    {Moved, lists:sum(savina:gather(balance, Accounts))}.

generate(0, _, _, _) -> ok;
generate(N, R0, Pids, Teller) ->
    R1 = savina:next(R0),
    R2 = savina:next(R1),
    R = savina:next(R2),
    Accounts = tuple_size(Pids),
    From = R1 rem (Accounts div 10 * 8),
    To = From + max(1, R2 rem (Accounts - From)),
    element(From + 1, Pids) ! {move, Teller, element(To + 1, Pids), trunc(savina:double(R) * 100_000)},
    generate(N - 1, R, Pids, Teller).

account(Balance) ->
    receive
        {credit, From, Ref, Amount} ->
            From ! {Ref, credited},
            account(Balance + Amount);
        {move, Teller, To, Amount} ->
            Ref = make_ref(),
            To ! {credit, self(), Ref, Amount},
            receive {Ref, credited} -> Teller ! {reply, Amount} end,
            account(Balance - Amount);
        {stop, Teller} ->
            Teller ! {balance, Balance}
    end.
