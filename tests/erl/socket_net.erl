%% Kernel's `net`: names, addresses and interfaces.
-module(socket_net).
-export([main/0, main/1]).

main(_) -> main().

main() ->
    Loopback = #{family => inet, port => 80, addr => loopback},
    [say(Text, F)
     || {Text, F} <- [{"host", fun() -> {ok, Name} = net:gethostname(), {ok, Same} = inet:gethostname(), Name =:= Same end},
                      {"info", fun() -> net:info() end},
                      {"name", fun() -> net:getnameinfo(Loopback) end},
                      {"numbers", fun() -> net:getnameinfo(Loopback, [numerichost, numericserv]) end},
                      {"six", fun() -> net:getnameinfo(#{family => inet6, port => 80, addr => loopback}, [dgram, nofqdn, idn, numerichost]) end},
                      {"bad flag", fun() -> net:getnameinfo(Loopback, [foo]) end},
                      {"bad address", fun() -> net:getnameinfo(Loopback#{addr => x}, []) end},
                      {"bad address", fun() -> net:getnameinfo(foo, []) end},
                      {"address", fun() -> net:getaddrinfo("127.0.0.1") end},
                      {"service", fun() -> net:getaddrinfo("127.0.0.1", "http") end},
                      {"port", fun() -> net:getaddrinfo("127.0.0.1", "80") end},
                      {"localhost", fun() -> {ok, All} = net:getaddrinfo("localhost"), lists:usort([F || #{family := F} <- All]) =/= [] end},
                      {"no service", fun() -> net:getaddrinfo("::1", "nosuchservice") end},
                      {"only a service", fun() -> {ok, All} = net:getaddrinfo(undefined, "http"), lists:usort([P || #{addr := #{port := P}} <- All]) end},
                      {"nothing", fun() -> net:getaddrinfo(undefined, undefined) end},
                      {"bad", fun() -> net:getaddrinfo(foo) end},
                      {"bad", fun() -> net:getaddrinfo([a]) end},
                      {"bad", fun() -> net:getaddrinfo([300]) end},
                      {"interfaces", fun() -> {ok, All} = net:getifaddrs(inet), [I || #{name := "lo"} = I <- All] end},
                      {"interfaces", fun() -> {ok, All} = net:getifaddrs(inet6), [I || #{name := "lo"} = I <- All] end},
                      {"interfaces", fun() -> {ok, All} = net:getifaddrs(), lists:usort([N || #{name := N} <- All, N =:= "lo"]) end},
                      {"of nowhere", fun() -> prim_net:getifaddrs(#{netns => "/proc/nonexistent"}) end},
                      {"index", fun() -> net:if_name2index("lo") end},
                      {"no index", fun() -> net:if_name2index("nolo") end},
                      {"no index", fun() -> net:if_name2index("waytoolonginterfacename") end},
                      {"bad", fun() -> net:if_name2index(foo) end},
                      {"name", fun() -> net:if_index2name(1) end},
                      {"no name", fun() -> net:if_index2name(999) end},
                      {"bad", fun() -> net:if_index2name(-1) end},
                      {"bad", fun() -> net:if_index2name(foo) end},
                      {"all", fun() -> {ok, All} = net:if_names(), lists:keyfind("lo", 2, All) end},
                      {"other system's", fun() -> prim_net:get_interface_info(#{}) end},
                      {"command", fun() -> prim_net:command(foo) end}]],
    ok.

say(Text, F) -> io:format("~s: ~0p~n", [Text, try F() catch C:R -> {raised, C, R} end]).
