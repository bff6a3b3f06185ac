%% gcbench and list_alloc for Erlang, and the program: an actor is a process. The work is that of our own benches, with one difference: nothing
%% can be written after it was made, so trees are made from the bottom up both times.
-module(graphs).
-compile({no_auto_import, [nodes/1, size/1]}).
-export([main/1]).

%% gcbench

%% A node has two numbers, nought. They come with the question: a node of constants would itself be a constant, made once.
make(0, Nought) -> {nil, nil, Nought, Nought};
make(Depth, Nought) ->
    Left = make(Depth - 1, Nought),
    Right = make(Depth - 1, Nought),
    {Left, Right, Nought, Nought}.

%% How far it is to the end, always to the left.
depth({nil, _, _, _}) -> 0;
depth({Left, _, _, _}) -> 1 + depth(Left).

nodes(nil) -> 0;
nodes({Left, Right, I, J}) -> 1 + I + J + nodes(Left) + nodes(Right).

size(Depth) -> (1 bsl (Depth + 1)) - 1.

%% Depths, and how many trees of each, of either kind.
rounds(Stretch) -> [{Depth, 2 * size(Stretch) div size(Depth)} || Depth <- lists:seq(4, Stretch - 2, 2)].

%% The depths of all trees that do not stay, and the nodes of the one that does.
gcbench(Stretch, Nought) ->
    First = depth(make(Stretch, Nought)),
    Stays = make(Stretch - 2, Nought),
    Array = array(),
    Depths = [depths(Depth, Nought, 2 * Trees, 0) || {Depth, Trees} <- rounds(Stretch)],
    <<_:1000/binary-unit:64, 0.001/float, _/binary>> = Array,
    First + lists:sum(Depths) + nodes(Stays).

depths(_, _, 0, Sum) -> Sum;
depths(Depth, Nought, Left, Sum) -> depths(Depth, Nought, Left - 1, Sum + depth(make(Depth, Nought))).

%% 500,000 numbers side by side, of which the first half is filled.
array() ->
    Filled = << <<(1 / At)/float>> || At <- lists:seq(1, 249999) >>,
    <<0.0/float, Filled/binary, 0:250000/unit:64>>.

%% list_alloc

grow(Links, Links, List) -> List;
grow(Value, Links, List) -> grow(Value + 1, Links, [Value | List]).

sum([], Sum) -> Sum;
sum([Value | List], Sum) -> sum(List, Sum + Value).

%% The program

actor() ->
    receive
        {gcbench, From, Stretch, Nought} ->
            From ! {self(), gcbench(Stretch, Nought)};
        {list_alloc, From, Links, Nought} ->
            List = grow(Nought, Links, []),
            Once = sum(List, 0),
            From ! {self(), Once + sum(List, 0)},
            keep(List)
    end.

keep(List) -> receive stop -> List end.

%% What must come out, and after how many operations.
expected(gcbench, Stretch) ->
    Sum = fun(Of) -> lists:sum([2 * Trees * Of(Depth) || {Depth, Trees} <- rounds(Stretch)]) end,
    {Stretch + size(Stretch - 2) + Sum(fun(Depth) -> Depth end), size(Stretch) + size(Stretch - 2) + Sum(fun size/1)};
expected(list_alloc, Links) -> {Links * (Links - 1), Links}.

main([Word, Threads, Number]) when Word =:= "gcbench"; Word =:= "list_alloc" ->
    erlang:system_flag(schedulers_online, list_to_integer(Threads)),
    run(list_to_atom(Word), list_to_integer(Number));
main(["kv_store", Threads, Kind, Asked | Numbers]) when length(Numbers) =:= 3 ->
    erlang:system_flag(schedulers_online, list_to_integer(Threads)),
    [Entries, Operations, Forced] = [list_to_integer(Number) || Number <- Numbers],
    {Wall, Sum, Words} = store:run(Kind, list_to_atom(Asked), Entries, Operations, Forced),
    io:format("kv_store ~.6f ~b ~b ~s~n", [Wall, Operations, Sum, Words]),
    halt(0);
main([Word, Threads | Numbers]) when Word =:= "text_search", length(Numbers) =:= 3; Word =:= "edit_distance", length(Numbers) =:= 3 ->
    erlang:system_flag(schedulers_online, list_to_integer(Threads)),
    [One, Other, Forced] = [list_to_integer(Number) || Number <- Numbers],
    {Wall, Ops, Sum, Words} = case Word of
        "text_search" -> texts:search(One, Other, Forced);
        "edit_distance" -> texts:distance(One, Other, Forced)
    end,
    io:format("~s ~.6f ~b ~b ~s~n", [Word, Wall, Ops, Sum, Words]),
    halt(0);
main(["lru_cache", Kind | Numbers]) when length(Numbers) =:= 5 ->
    [Port, Capacity, Titles, Bytes, Seed] = [list_to_integer(Number) || Number <- Numbers],
    cache:serve(Kind, Port, Capacity, Titles, Bytes, Seed);
main(_) ->
    Graphs = "gcbench THREADS DEPTH | list_alloc THREADS LINKS",
    Store = "kv_store THREADS map|ets chunks|single ENTRIES OPERATIONS FORCED",
    Texts = "text_search THREADS SHARDS EVERY FORCED | edit_distance THREADS STRINGS LETTERS FORCED",
    Cache = "lru_cache map|ets PORT CAPACITY TITLES PAGE_BYTES SEED",
    fail(2, "usage: ~s | ~s | ~s | ~s~n", [Graphs, Store, Texts, Cache]).

run(Bench, Number) ->
    {Expected, Ops} = expected(Bench, Number),
    {Actor, Monitor} = spawn_monitor(fun actor/0),
    Began = erlang:monotonic_time(),
    Actor ! {Bench, self(), Number, 0},
    Got = receive
        {Actor, Answer} -> Answer;
        {'DOWN', Monitor, process, Actor, Reason} -> fail(1, "~s: ~p~n", [Bench, Reason])
    end,
    Wall = erlang:convert_time_unit(erlang:monotonic_time() - Began, native, nanosecond) / 1.0e9,
    Got =:= Expected orelse fail(1, "~s: wrong result: it must be ~b and is ~b~n", [Bench, Expected, Got]),
    io:format("~s ~.6f ~b ~b~n", [Bench, Wall, Ops, Got]),
    halt(0).

fail(Status, Format, Values) ->
    io:format(standard_error, Format, Values),
    halt(Status).
