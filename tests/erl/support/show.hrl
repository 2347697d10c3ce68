%% ?S(Expression) prints its source text and what became of it.
-define(S(E), show:is(??E, fun() -> E end)).
-import(show, [id/1]).
