%% The processes `user` (descriptors 0 and 1) and `standard_error` (descriptor 2) of a program that runs
%% without booting OTP: the I/O protocol, answered as OTP's own user.erl does.
%%
%% Output is written before it is answered; a descriptor that would block is waited for without
%% occupying a scheduler. Input arrives in chunks; while a request waits for more, output requests
%% are served and other input requests queue up.
%%
%% The end of the machine passes through here, so that everything printed before it is out:
%% {whitebeam_halt, Code} is sent by whoever ends the machine, and stands in the mailbox behind all
%% requests sent before it.
-module(whitebeam_io).
-export([start/1]).

%% Latin-1 until somebody says otherwise, as `erl -noshell` of OTP 25 has it.
-record(io, {fd, encoding = latin1, mode = list, buffer = <<>>, eof = false, waiting = []}).

start(Name) ->
    whitebeam:await_registration(),
    loop(#io{fd = case Name of user -> 1; standard_error -> 2 end, encoding = encoding()}).

%% The locale's since OTP 26, latin1 before, as `erl -noshell` has it.
encoding() ->
    case release() >= 26 andalso file:native_name_encoding() of
        utf8 -> unicode;
        _ -> latin1
    end.

release() -> erlang:system_info(compat_rel).

loop(Io = #io{waiting = [{From, As, Request} | Rest]}) ->
    loop(serve(From, As, Request, Io#io{waiting = Rest}));
loop(Io) ->
    receive Message -> loop(message(Message, Io)) end.

message({io_request, From, As, Request}, Io) when is_pid(From) -> serve(From, As, Request, Io);
message(Message, Io) -> other(Message), Io.

other({whitebeam_halt, Code}) -> halt_machine(Code);
other({whitebeam_crash, Header, Pid, Value}) -> crash(Header, Pid, Value);
other({whitebeam_flush, From}) -> From ! {whitebeam_flushed, self()};
other(_) -> ok.

serve(From, As, Request, Io) ->
    {Reply, Next} = request(Request, Io),
    From ! {io_reply, As, Reply},
    Next.

halt_machine(Code) ->
    case whereis(standard_error) of
        Pid when is_pid(Pid), Pid =/= self() ->
            Ref = monitor(process, Pid),
            Pid ! {whitebeam_flush, self()},
            receive {whitebeam_flushed, Pid} -> ok; {'DOWN', Ref, _, _, _} -> ok end;
        _ -> ok
    end,
    whitebeam:exit(Code).

%% In the words of BEAM's own logger.
crash(Header, Pid, Value) ->
    Bytes = try unicode:characters_to_binary(
                  io_lib:format("~ts~nError in process ~p with exit value:~n~tp~n~n", [Header, Pid, Value]))
            catch _:_ ->  % no memory, no atoms or no descriptor left to load these modules
                iolist_to_binary([Header, "\nError in process ", pid_to_list(Pid), " with exit value:\n",
                                  whitebeam:text(Value), "\n\n"])
            end,
    write(2, Bytes).

%% --- requests ---------------------------------------------------------------------------------------
request({put_chars, Encoding, Chars}, Io) when Encoding =:= unicode; Encoding =:= latin1 ->
    {put_chars(Encoding, Chars, Io), Io};
request({put_chars, Encoding, M, F, A}, Io) when Encoding =:= unicode; Encoding =:= latin1 ->
    {case catch apply(M, F, A) of
         Chars when is_list(Chars); is_binary(Chars) -> put_chars(Encoding, Chars, Io);
         _ -> {error, put_chars}
     end, Io};
request({put_chars, Chars}, Io) -> request({put_chars, latin1, Chars}, Io);
request({put_chars, M, F, A}, Io) -> request({put_chars, latin1, M, F, A}, Io);
request(getopts, Io) -> {options(Io, release()), Io};
request({setopts, Options}, Io) when is_list(Options) -> set_options(Options, Io, Io);
request({get_geometry, What}, Io) when What =:= columns; What =:= rows ->
    {case {What, whitebeam:terminal_size(Io#io.fd)} of
         {columns, {Columns, _}} -> Columns;
         {rows, {_, Rows}} -> Rows;
         _ -> {error, enotsup}
     end, Io};
request({requests, Requests}, Io) when is_list(Requests) -> requests(Requests, ok, Io);
request(Request, Io = #io{fd = 1}) -> input(Request, Io);
request(Request, Io) -> {unknown(Request), Io}.

unknown(Request) -> {error, case release() < 26 of true -> {request, Request}; false -> request end}.

requests([Request | Rest], _, Io) ->
    case request(Request, Io) of
        {{error, _}, _} = Failed -> Failed;
        {Reply, Next} -> requests(Rest, Reply, Next)
    end;
requests(_, Reply, Io) -> {Reply, Io}.

options(#io{fd = 2, encoding = Encoding}, Release) ->
    [{encoding, Encoding} | [O || Release >= 26, O <- [{onlcr, false}, {log, none}]]] ++
        [{terminal, false} || Release >= 29];
options(#io{mode = Mode, encoding = Encoding}, Release) when Release < 26 ->
    [{binary, Mode =:= binary}, {encoding, Encoding}];
options(#io{mode = Mode, encoding = Encoding}, Release) ->
    Expand = if Release < 28 -> fun edlin_expand:expand/2; true -> false end,
    Data = [{binary, Mode =:= binary}, {encoding, Encoding}],
    [{expand_fun, Expand}, {echo, false}] ++
        (if Release < 28 -> Data ++ [{log, none}]; true -> [{line_history, false}, {log, none} | Data] end) ++
        [{Is, false} || Is <- [terminal, stdout, stderr, stdin]].

set_options([Option | Rest], New, Io) ->
    case Option of
        {encoding, E} when E =:= unicode; E =:= utf8 -> set_options(Rest, New#io{encoding = unicode}, Io);
        {encoding, latin1} -> set_options(Rest, New#io{encoding = latin1}, Io);
        unicode -> set_options(Rest, New#io{encoding = unicode}, Io);
        latin1 -> set_options(Rest, New#io{encoding = latin1}, Io);
        {binary, B} when is_boolean(B), Io#io.fd =:= 1 -> set_options(Rest, New#io{mode = mode(B)}, Io);
        {list, B} when is_boolean(B), Io#io.fd =:= 1 -> set_options(Rest, New#io{mode = mode(not B)}, Io);
        binary when Io#io.fd =:= 1 -> set_options(Rest, New#io{mode = binary}, Io);
        list when Io#io.fd =:= 1 -> set_options(Rest, New#io{mode = list}, Io);
        _ -> {{error, enotsup}, Io}
    end;
set_options(_, New, _) -> {ok, New}.

mode(true) -> binary;
mode(false) -> list.

%% --- output ------------------------------------------------------------------------------------------
put_chars(Encoding, Chars, #io{fd = Fd, encoding = Device}) ->
    case encode(Chars, Encoding, Device) of
        Bytes when is_binary(Bytes) -> write(Fd, Bytes);
        _ -> {error, case release() < 26 of true -> put_chars; false -> {put_chars, Encoding, Chars} end}
    end.

encode(Chars, unicode, latin1) ->
    case catch unicode:characters_to_binary(Chars, unicode, latin1) of
        Bytes when is_binary(Bytes) -> Bytes;
        _ ->
            case catch unicode:characters_to_list(Chars, unicode) of
                List when is_list(List) -> list_to_binary([latin1(C) || C <- List]);
                _ -> error
            end
    end;
encode(Chars, From, To) -> catch unicode:characters_to_binary(Chars, From, To).

latin1(C) when C > 255 -> ["\\x{", integer_to_list(C, 16), $}];
latin1(C) -> C.

write(Fd, Bytes) ->
    case whitebeam:write(Fd, Bytes) of
        wait -> receive {whitebeam_written, Fd, Result} -> Result end;
        Result -> Result
    end.

%% --- input -------------------------------------------------------------------------------------------
input({get_line, Prompt}, Io) -> input({get_line, latin1, Prompt}, Io);
input({get_chars, Prompt, N}, Io) -> input({get_chars, latin1, Prompt, N}, Io);
input({get_until, Prompt, M, F, A}, Io) -> input({get_until, latin1, Prompt, M, F, A}, Io);
input({get_line, Encoding, Prompt}, Io) -> prompted(Prompt, get_line, fun() -> line(Prompt, 0, Encoding, Io) end, Io);
input({get_chars, Encoding, Prompt, N}, Io) ->
    prompted(Prompt, get_chars, fun() -> collect(start, Prompt, io_lib, collect_chars, N, Encoding, Io) end, Io);
input({get_until, Encoding, Prompt, M, F, A}, Io) ->
    prompted(Prompt, get_chars, fun() -> collect(start, Prompt, io_lib, get_until, {M, F, A}, Encoding, Io) end, Io);
input(Request, Io) -> {unknown(Request), Io}.

prompted(Prompt, Who, Read, Io) ->
    case prompt(Prompt, Io) of
        ok -> Read();
        _ -> {{error, Who}, Io}
    end.

prompt('', _) -> ok;
prompt("", _) -> ok;
prompt(<<>>, _) -> ok;
prompt(Prompt, Io) -> put_chars(unicode, io_lib:format_prompt(Prompt, Io#io.encoding), Io).

%% Up to and with the next newline, "\r\n" as "\n". Bytes before From have none.
line(Prompt, From, Encoding, Io = #io{buffer = Buffer}) ->
    Size = byte_size(Buffer),
    case binary:match(Buffer, <<"\n">>, [{scope, {From, Size - From}}]) of
        {At, 1} ->
            <<Line:(At + 1)/binary, Rest/binary>> = Buffer,
            {line_result(without_cr(Line), collect_line, Encoding, Io), Io#io{buffer = Rest}};
        nomatch when Io#io.eof, Size =:= 0 -> {eof, Io};
        nomatch when Io#io.eof ->
            {line_result(Buffer, collect_line, Encoding, Io), Io#io{buffer = <<>>}};
        nomatch -> line(Prompt, Size, Encoding, more(Prompt, Io))
    end.

line_result(Bytes, Who, Encoding, Io) ->
    try cast(Bytes, Encoding, Io) catch _:_ -> {error, Who} end.

without_cr(Line) ->
    Before = byte_size(Line) - 2,
    case Line of
        <<Text:Before/binary, "\r\n">> -> <<Text/binary, "\n">>;
        _ -> Line
    end.

%% Feeds M:F with a line (or what there is of one) at a time until it has enough.
collect(start, _, _, _, _, _, Io = #io{buffer = <<>>, eof = true}) -> {eof, Io};
collect(State, _, M, F, A, Encoding, Io = #io{buffer = <<>>, eof = true}) ->
    consume(State, eof, none, M, F, A, Encoding, Io);
collect(State, Prompt, M, F, A, Encoding, Io = #io{buffer = <<>>}) ->
    collect(State, Prompt, M, F, A, Encoding, more(Prompt, Io));
collect(State, Prompt, M, F, A, Encoding, Io) ->
    case chunk(Io) of
        {<<>>, _} -> collect(State, Prompt, M, F, A, Encoding, more(Prompt, Io));
        {Bytes, Rest} ->
            Next = Io#io{buffer = Rest},
            try cast(Bytes, Encoding, Io) of
                Data -> consume(State, Data, Prompt, M, F, A, Encoding, Next)
            catch _:_ -> {{error, function(F, A)}, Next#io{buffer = <<>>}}
            end
    end.

consume(State, Data, Prompt, M, F, A, Encoding, Io = #io{buffer = Rest}) ->
    case catch M:F(State, Data, Encoding, A) of
        {stop, Result, Left} when Left =:= []; Left =:= <<>>; Left =:= eof -> {Result, Io};
        {stop, Result, Left} ->
            Bytes = unicode:characters_to_binary(Left, if is_binary(Left) -> data_encoding(Encoding); true -> unicode end,
                                                 Io#io.encoding),
            {Result, Io#io{buffer = <<Bytes/binary, Rest/binary>>}};
        {'EXIT', _} -> {{error, function(F, A)}, Io#io{buffer = <<>>}};
        Next -> collect(Next, Prompt, M, F, A, Encoding, Io)
    end.

data_encoding(latin1) -> latin1;
data_encoding(_) -> unicode.

function(get_until, {_, F, _}) -> F;
function(F, _) -> F.

%% The next line, else all whole characters there are.
chunk(#io{buffer = Buffer, encoding = Encoding, eof = Eof}) ->
    case binary:match(Buffer, <<"\n">>) of
        {At, 1} -> split_binary(Buffer, At + 1);
        nomatch when Encoding =:= latin1; Eof -> {Buffer, <<>>};
        nomatch ->
            case unicode:characters_to_binary(Buffer) of
                {incomplete, Whole, Rest} -> {Whole, Rest};
                _ -> {Buffer, <<>>}
            end
    end.

cast(Bytes, Wanted, #io{mode = binary, encoding = Device}) ->
    case unicode:characters_to_binary(Bytes, Device, Wanted) of
        Binary when is_binary(Binary) -> Binary
    end;
cast(Bytes, latin1, #io{encoding = latin1}) -> binary_to_list(Bytes);
cast(Bytes, Wanted, #io{encoding = Device}) ->
    case unicode:characters_to_list(Bytes, Device) of
        List when is_list(List), Wanted =/= latin1 -> List;
        List when is_list(List) -> true = lists:all(fun(C) -> C < 256 end, List), List
    end.

%% One more chunk of input, or its end.
more(Prompt, Io) ->
    case whitebeam:read(0) of
        wait -> await(Prompt, Io);
        Result -> arrived(Result, Io)
    end.

arrived(Bytes, Io = #io{buffer = Buffer}) when is_binary(Bytes) -> Io#io{buffer = <<Buffer/binary, Bytes/binary>>};
arrived(_, Io) -> Io#io{eof = true}.

await(Prompt, Io) ->
    receive
        {whitebeam_readable, 0} -> more(Prompt, Io);
        {io_request, From, As, Request} when is_pid(From) ->
            case is_input(Request) of
                true -> await(Prompt, Io#io{waiting = Io#io.waiting ++ [{From, As, Request}]});
                false ->
                    Next = serve(From, As, Request, Io),
                    is_tuple(Request) andalso element(1, Request) =:= get_geometry orelse prompt(Prompt, Next),
                    await(Prompt, Next)
            end;
        Message -> other(Message), await(Prompt, Io)
    end.

is_input({requests, Requests}) when is_list(Requests) -> lists:any(fun is_input/1, Requests);
is_input(Request) when is_tuple(Request), tuple_size(Request) > 1 ->
    lists:member(element(1, Request), [get_line, get_chars, get_until]);
is_input(_) -> false.
