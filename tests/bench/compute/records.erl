%% Records read, updated and matched in a small bank.
-module(records).
-export([run/0]).

-record(account, {id, owner, balance = 0, history = [], limit = 1000, open = true}).
-record(bank, {accounts, moved = 0, failed = 0}).

run() ->
    Accounts = list_to_tuple([#account{id = N, owner = {person, N}, balance = 500}
                              || N <- lists:seq(1, 64)]),
    B = transfers(400_000, 1, #bank{accounts = Accounts}),
    {B#bank.moved, B#bank.failed,
     lists:sum([A#account.balance || A <- tuple_to_list(B#bank.accounts)])}.

transfers(0, _, B) -> B;
transfers(N, X, B) ->
    Next = (X * 1103515245 + 12345) band 16#7fffffff,
    transfers(N - 1, Next, transfer((X bsr 8) band 63 + 1, (Next bsr 8) band 63 + 1, X band 127, B)).

transfer(From, To, Amount, #bank{accounts = As, moved = M, failed = F} = B) ->
    case element(From, As) of
        #account{balance = Balance, limit = Limit, open = true} = A when Balance + Limit >= Amount ->
            As1 = setelement(From, As, A#account{balance = Balance - Amount}),
            T = element(To, As1),
            As2 = setelement(To, As1, T#account{balance = T#account.balance + Amount}),
            B#bank{accounts = As2, moved = M + 1};
        #account{} -> B#bank{failed = F + 1}
    end.
