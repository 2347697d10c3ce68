%% Savina, online facility location: a quadrant whose customers have become too expensive opens a facility and
%% splits into four; the others hear of the facility.
-module(savina_facloc).
-export([run/0, small/0]).

-define(GRID, 500.0).
-define(ALPHA, 2.0).
-record(quadrant, {parent, position, box, centre, threshold, facilities, customers = [], cost = 0.0,
                   children = none}).

run() -> run(100_000).
small() -> run(3_000).

run(Points) ->
    Producer = self(),
    Threshold = ?ALPHA * math:sqrt(2) * ?GRID,
    Root = spawn_link(fun() -> quadrant(Producer, root, {0.0, 0.0, ?GRID, ?GRID}, Threshold, [], []) end),
    produce(Points, 123456, Root),
    Root ! request_exit,
    receive {confirm_exit, _, Customers} -> Customers end.

produce(0, _, _) -> ok;
produce(N, R0, Root) ->
    R1 = savina:next(R0),
    R = savina:next(R1),
    Root ! {customer, self(), {savina:double(R1) * ?GRID, savina:double(R) * ?GRID}},
    receive next_customer -> produce(N - 1, R, Root) end.

quadrant(Parent, Position, {X1, Y1, X2, Y2} = Box, Threshold, Facilities, Customers) ->
    Centre = {(X1 + X2) / 2, (Y1 + Y2) / 2},
    quadrant(lists:foldl(fun add/2, #quadrant{parent = Parent, position = Position, box = Box, centre = Centre,
                                              threshold = Threshold, facilities = [Centre | Facilities]}, Customers)).

quadrant(#quadrant{children = Children, position = Position, parent = Parent} = Q) ->
    receive
        {customer, Producer, Point} = Customer ->
            Position =:= root andalso (Producer ! next_customer),
            case Children of
                none -> quadrant(split(add(Point, Q)));
                _ -> element(place(Point, Q#quadrant.centre), Children) ! Customer, quadrant(Q)
            end;
        {facility, From, Point} ->
            case From of
                parent when Children =:= none -> ok;
                parent -> [Child ! {facility, parent, Point} || Child <- tuple_to_list(Children)];
                _ ->
                    tell_parent(Point, Q),
                    element(5 - From, Children) ! {facility, parent, Point}
            end,
            quadrant(Q#quadrant{facilities = [Point | Q#quadrant.facilities]});
        request_exit when Children =:= none ->
            Parent ! {confirm_exit, 0, length(Q#quadrant.customers)};
        request_exit ->
            [Child ! request_exit || Child <- tuple_to_list(Children)],
            confirm(4, 1, 0, Parent)
    end.

%% Late news of facilities no longer matter.
confirm(0, Facilities, Customers, Parent) -> Parent ! {confirm_exit, Facilities, Customers};
confirm(N, Facilities, Customers, Parent) ->
    receive {confirm_exit, F, C} -> confirm(N - 1, Facilities + F, Customers + C, Parent) end.

add(Point, #quadrant{customers = Customers, cost = Cost, facilities = [F | Fs]} = Q) ->
    Q#quadrant{customers = [Point | Customers], cost = Cost + nearest(Point, Fs, distance(Point, F))}.

nearest(_, [], Best) -> Best;
nearest(Point, [F | Fs], Best) -> nearest(Point, Fs, min(Best, distance(Point, F))).

distance({X1, Y1}, {X2, Y2}) ->
    Dx = X1 - X2,
    Dy = Y1 - Y2,
    math:sqrt(Dx * Dx + Dy * Dy).

%% 1 top left, 2 top right, 3 bottom left, 4 bottom right: opposite ones add up to 5.
place({X, Y}, {Cx, Cy}) ->
    case {X =< Cx, Y >= Cy} of
        {true, true} -> 1;
        {false, true} -> 2;
        {true, false} -> 3;
        {false, false} -> 4
    end.

split(#quadrant{cost = Cost, threshold = Threshold} = Q) when Cost =< Threshold -> Q;
split(#quadrant{box = {X1, Y1, X2, Y2}, centre = {Cx, Cy} = Centre, facilities = Fs, threshold = T} = Q) ->
    tell_parent(Centre, Q),
    Self = self(),
    Child = fun(I, Box) ->
                Mine = [C || C <- Q#quadrant.customers, place(C, Centre) =:= I],
                spawn_link(fun() -> quadrant(Self, I, Box, T, Fs, Mine) end)
            end,
    Q#quadrant{customers = [],
               children = {Child(1, {X1, Cy, Cx, Y2}), Child(2, {Cx, Cy, X2, Y2}),
                           Child(3, {X1, Y1, Cx, Cy}), Child(4, {Cx, Y1, X2, Cy})}}.

tell_parent(_, #quadrant{position = root}) -> ok;
tell_parent(Point, #quadrant{parent = Parent, position = Position}) -> Parent ! {facility, Position, Point}.
