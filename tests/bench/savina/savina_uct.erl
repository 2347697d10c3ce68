%% Savina, unbalanced cobwebbed tree: nodes ask the root whether they may have children, until there are enough;
%% then the tree is traversed and taken down.
-module(savina_uct).
-export([run/0, small/0]).

-define(CHILDREN, 10).
-define(URGENT_PERCENT, 50).
-record(root, {size, max, height = 2, random, children}).

run() -> run(200_000).
small() -> run(100).

run(Max) ->
    {Work, R} = normal(rand:seed_s(exsss, 2)),
    Root = self(),
    Children = children(2, Work, none, Root),
    root(#root{size = 1 + ?CHILDREN, max = Max, random = R, children = Children}).

children(Height, Work, Urgent, Root) ->
    Parent = self(),
    Pids = [spawn_link(fun() -> node(Height, Work, I =:= Urgent, Parent, Root) end) || I <- lists:seq(1, ?CHILDREN)],
    [Pid ! try_generate || Pid <- Pids],
    Pids.

root(#root{size = Size, max = Max, children = Children}) when Size + ?CHILDREN > Max ->
    [Pid ! traverse || Pid <- Children],
    [Pid ! terminate || Pid <- Children],
    gone(?CHILDREN),
    Size;
root(#root{size = Size, height = Height, random = R0} = Root) ->
    receive
        {may_generate, Child, ChildHeight} ->
            case rand:uniform_s(2, R0) of
                {1, R1} ->
                    {Work, R2} = normal(R1),
                    {Percent, R3} = rand:uniform_s(100, R2),
                    {Urgent, R} = case Percent > ?URGENT_PERCENT of
                                      true -> {none, R3};
                                      false -> rand:uniform_s(?CHILDREN, R3)
                                  end,
                    Child ! {generate, Work, Urgent},
                    root(Root#root{size = Size + ?CHILDREN, height = max(Height, ChildHeight + 1), random = R});
                {2, R} ->
                    root(Root#root{height = max(Height, ChildHeight), random = R})
            end;
        {grant, _} -> root(Root)
    end.

%% How much work a node is: 500 on average, with a deviation of 100.
normal(R0) ->
    case rand:normal_s(R0) of
        {N, R} when N > -5 -> {max(1, round(N * 100 + 500)), R};
        {_, R} -> normal(R)
    end.

node(Height, Work, Urgent, Parent, Root) -> node(Height, Work, Urgent, Parent, Root, []).

node(Height, Work, Urgent, Parent, Root, Children) ->
    receive
        try_generate ->
            loop(100),
            Root ! {may_generate, self(), Height},
            node(Height, Work, Urgent, Parent, Root, Children);
        {generate, ChildrensWork, UrgentChild} ->
            Parent ! {grant, self()},
            node(Height, Work, Urgent, Parent, Root, children(Height + 1, ChildrensWork, UrgentChild, Root));
        {grant, _} ->
            node(Height, Work, Urgent, Parent, Root, Children);
        traverse ->
            loop(Work),
            [Pid ! traverse || Pid <- Children],
            node(Height, Work, Urgent, Parent, Root, Children);
        terminate ->
            [Pid ! terminate || Pid <- Children],
            gone(length(Children)),
            Parent ! gone
    end.

gone(0) -> ok;
gone(N) -> receive gone -> gone(N - 1) end.

loop(0) -> ok;
loop(N) -> loop(N - 1).
