# File.stream!, File, Path, StringIO, IO.
#% stdin: first żaba|second
defmodule Files do
  def main(_) do
    dir = Path.join(System.tmp_dir!(), "wb_files_#{System.pid()}")
    File.mkdir_p!(dir)
    path = Path.join(dir, "lines.txt")
    File.write!(path, Enum.map(1..5, &"żółty #{&1}\n"))
    IO.inspect(File.stream!(path) |> Stream.map(&String.trim/1) |> Enum.to_list())
    IO.inspect(File.stream!(path, 7) |> Enum.to_list() |> Enum.map(&byte_size/1))
    IO.inspect(File.stream!(path, :line, encoding: :utf8) |> Enum.at(1))
    copy = Path.join(dir, "copy.txt")
    File.stream!(path) |> Stream.filter(&(&1 =~ ~r/[24]/)) |> Stream.into(File.stream!(copy)) |> Stream.run()
    IO.inspect(File.read!(copy))
    IO.inspect({File.exists?(copy), File.regular?(dir), File.dir?(dir), File.ls!(dir) |> Enum.sort(), File.stat!(copy).size})
    IO.inspect({File.cp!(copy, copy <> "2"), File.rename!(copy <> "2", copy <> "3"), File.rm!(copy <> "3"), File.rm(copy <> "3")})
    IO.inspect(File.open!(path, [:read, :utf8], fn f -> {IO.read(f, :line), IO.read(f, 3), IO.gets(f, "")} end))
    File.open!(path, [:append, :utf8], &IO.puts(&1, "na końcu"))
    IO.inspect(File.read!(path) |> String.split("\n") |> Enum.take(-2))
    IO.inspect(File.read("/nowhere/at/all"))
    try do
      File.read!("/nowhere")
    rescue
      e in File.Error -> IO.puts(Exception.message(e))
    end
    File.mkdir_p!(Path.join(dir, "a/b/c"))
    File.touch!(Path.join(dir, "a/b/c/x.ex"))
    IO.inspect(Path.wildcard(Path.join(dir, "**/*.ex")) |> Enum.map(&Path.relative_to(&1, dir)))
    IO.inspect({Path.expand("../x", "/a/b"), Path.extname("a.tar.gz"), Path.rootname("a.ex"), Path.split("/a/b"), Path.type("a"), Path.basename("/a/b.ex", ".ex")})
    IO.inspect(File.rm_rf!(dir) |> length())
    {:ok, io} = StringIO.open("in\nput")
    IO.inspect({IO.gets(io, "> "), IO.read(io, :line), IO.read(io, :line), IO.write(io, "out"), StringIO.contents(io)})
    IO.inspect(ExUnit.CaptureIO.capture_io(fn -> IO.puts("captured") end))
    IO.inspect({IO.iodata_to_binary([1, "a", [?b]]), IO.chardata_to_string([?ż, "a"]), IO.iodata_length(["ab", 1])})
    IO.inspect({IO.gets("prompt "), IO.read(:line), IO.gets("")})
    {out, status} = System.cmd("sh", ["-c", "echo $X; exit 3"], env: [{"X", "ż"}])
    IO.inspect({out, status, System.get_env("NOTHING_LIKE_IT"), is_binary(System.version())})
    IO.inspect(System.shell("printf 'a\\nb\\n'", into: [], lines: 10))
    port = Port.open({:spawn, "cat"}, [:binary])
    Port.command(port, "to cat")
    receive do: ({^port, {:data, d}} -> IO.inspect(d))
    Port.close(port)
  end
end
