%% A tuple of the program's own making becomes a stack trace.
{module, trace_any_tuple}.
{exports, [{trace_of_any_tuple,1}]}.
{attributes, []}.
{labels, 8}.

{function, trace_of_any_tuple, 1, 7}.
{label,6}.
{func_info,{atom,trace_any_tuple},{atom,trace_of_any_tuple},1}.
{label,7}.
{move,{literal,{error,[b|c],12345678901234567890}},{x,0}}.
build_stacktrace.
return.
