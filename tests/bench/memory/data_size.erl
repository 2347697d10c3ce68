%% What data costs: RSS before it is made and after its process was collected. In a VM of its own for each
%% kind: what another kind gave back would be used again and make the next one look smaller.
%% only on demand
-module(data_size).
-export([of_each/3]).

of_each(Label, Count, Make) ->
    Self = self(),
    erlang:garbage_collect(),
    Before = idle_processes:rss(),
    spawn_link(fun() ->
        Data = Make(),
        erlang:garbage_collect(),
        Self ! {bytes, idle_processes:rss() - Before},
        receive {keep, Reply} -> Reply ! Data end
    end),
    [{Label, "bytes/item", receive {bytes, Bytes} -> Bytes / Count end}].
