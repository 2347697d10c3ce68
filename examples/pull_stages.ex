# Stages that pull: a consumer asks for so many, and nobody produces what nobody asked for (as GenStage does).
#
#     whitebeam run -pa /usr/lib/elixir/lib/elixir/ebin -pa . Elixir.PullStages
#
# Look at Stage.handle_info: demand goes up the chain, events come down, and each side only counts. A slow consumer makes the
# producer wait without any limit being set anywhere: that is the whole of back-pressure.
defmodule Stage do
  use GenServer
  defstruct [:make, :upstream, state: nil, buffer: :queue.new(), buffered: 0, asked: [], wanted: 0, ended: false]

  # make: fn demand, state -> {events, state} of a producer, fn event, state -> {events, state} of a transformer
  def start_link(kind, state, make, upstream \\ nil),
    do: GenServer.start_link(__MODULE__, %Stage{make: {kind, make}, state: state, upstream: upstream})

  @impl true
  def init(stage), do: {:ok, stage}

  @impl true
  def handle_info({:ask, who, n}, stage), do: {:noreply, serve(%{stage | asked: stage.asked ++ [{who, n}]})}
  def handle_info({:events, events}, stage), do: {:noreply, serve(taken(events, stage))}
  def handle_info({:done, _}, stage), do: {:noreply, serve(%{stage | ended: true})}

  defp taken(events, %{make: {:transformer, make}} = stage) do
    Enum.reduce(events, %{stage | wanted: stage.wanted - length(events)}, fn event, s ->
      {made, state} = make.(event, s.state)
      store(made, %{s | state: state})
    end)
  end

  defp store(events, stage),
    do: %{stage | buffer: Enum.reduce(events, stage.buffer, &:queue.in/2), buffered: stage.buffered + length(events)}

  defp serve(%{asked: []} = stage), do: stage

  defp serve(%{asked: [{who, n} | others], buffered: have} = stage) when have > 0 do
    give = min(n, have)
    {now, later} = :queue.split(give, stage.buffer)
    send(who, {:events, :queue.to_list(now)})
    left = if n == give, do: others, else: [{who, n - give} | others]
    serve(%{stage | buffer: later, buffered: have - give, asked: left})
  end

  # Nothing is left, and nothing comes.
  defp serve(%{ended: true} = stage) do
    for {who, _} <- stage.asked, do: send(who, {:done, self()})
    %{stage | asked: []}
  end

  defp serve(%{make: {:producer, make}, asked: [{_, n} | _]} = stage) do
    case make.(n, stage.state) do
      {[], _} -> serve(%{stage | ended: true})
      {events, state} -> serve(store(events, %{stage | state: state}))
    end
  end

  # One request at a time is under way: what it brings may be more or less than what is wanted here.
  defp serve(%{make: {:transformer, _}, wanted: 0, asked: [{_, n} | _]} = stage) do
    send(stage.upstream, {:ask, self(), n})
    %{stage | wanted: n}
  end

  defp serve(stage), do: stage
end

defmodule PullStages do
  def main(_args) do
    test = self()

    {:ok, numbers} =
      Stage.start_link(:producer, 1, fn demand, next ->
        send(test, {:produced, demand})
        {Enum.filter(next..(next + demand - 1), &(&1 <= 20)), next + demand}
      end)

    {:ok, even} = Stage.start_link(:transformer, nil, fn n, s -> {if(rem(n, 2) == 0, do: [n], else: []), s} end, numbers)
    {:ok, sums} = Stage.start_link(:transformer, 0, fn n, sum -> {[{n, sum + n}], sum + n} end, even)

    IO.inspect(produced(), label: "before anybody asks")
    IO.inspect(pull(sums, 2))
    IO.inspect(produced() |> Enum.sum(), label: "produced for it")
    IO.inspect(pull(sums, 3))
    IO.inspect(pull(sums, 100), label: "the rest")
    IO.inspect(pull(sums, 1), label: "after the end")
  end

  defp pull(stage, n), do: (send(stage, {:ask, self(), n}) && collect(n))
  defp collect(0), do: []

  defp collect(n) do
    receive do
      {:events, events} -> events ++ collect(n - length(events))
      {:done, _} -> [:done]
    end
  end

  defp produced do
    receive do: ({:produced, n} -> [n | produced()]), after: (0 -> [])
  end
end
