%% kv_store for Erlang: a process has a map, or a table of ETS. A value is a box: a tuple of one. Operations and sums are those of our own bench.
-module(store).
-export([run/5, mixed/1, completed/3, forced/3, collected/1, words/4]).

-define(CHUNK, 100000).
-define(WINDOW, 64).

%% A number below 2^59 for one below 2^58, in no order.
mixed(N) -> mixed(mixed(mixed(mixed(N, 284661031), 324043739), 334161007), 295214089).

mixed(N, Factor) ->
    Product = (N band 16#3FFFFFFF) * Factor + (N bsr 30),
    Product bxor (Product bsr 29).

%% The operation of this number: in chunks one of three, of any key; else one of two, of a key that is there.
operation(Asked, Number, Entries) ->
    Chance = mixed(Number + (1 bsl 40)),
    Low = Chance band 16#FFFFFFFFFF,
    case Asked of
        chunks ->
            Index = Low rem (2 * Entries),
            case (Chance bsr 42) rem 3 of
                0 -> {insert, Index, Index + Number};
                1 -> {delete, Index};
                2 -> {look, Index}
            end;
        single ->
            Index = Low rem Entries,
            case (Chance bsr 42) band 1 of
                1 -> {insert, Index, Index + Number};
                0 -> {look, Index}
            end
    end.

%% What was found, and the store afterwards.
operate({insert, Index, Value}, Store) -> {0, put(Index, Value, Store)};
operate({delete, Index}, Store) -> {0, take(Index, Store)};
operate({look, Index}, Store) -> {look(Index, Store), Store}.

put(Index, Value, Map) when is_map(Map) -> Map#{mixed(Index) => {Value}};
put(Index, Value, Table) -> ets:insert(Table, {mixed(Index), {Value}}), Table.

take(Index, Map) when is_map(Map) -> maps:remove(mixed(Index), Map);
take(Index, Table) -> ets:delete(Table, mixed(Index)), Table.

look(Index, Map) when is_map(Map) -> unbox(maps:get(mixed(Index), Map, {0}));
look(Index, Table) ->
    case ets:lookup(Table, mixed(Index)) of
        [{_, Value}] -> unbox(Value);
        [] -> 0
    end.

unbox({Value}) -> Value.

left(Map) when is_map(Map) -> maps:fold(fun(_, {Value}, Sum) -> Sum + Value end, 0, Map);
left(Table) -> ets:foldl(fun({_, {Value}}, Sum) -> Sum + Value end, 0, Table).

made("map") -> #{};
made("ets") -> ets:new(store, [set, private]).

load(Entries, Entries, Store) -> Store;
load(Index, Entries, Store) -> load(Index + 1, Entries, put(Index, Index, Store)).

chunk(_, Until, Until, _, Store, Sum) -> {Sum, Store};
chunk(Asked, Number, Until, Entries, Store, Sum) ->
    {Found, Next} = operate(operation(Asked, Number, Entries), Store),
    chunk(Asked, Number + 1, Until, Entries, Next, Sum + Found).

%% The process with the store. Times between completions, in nanoseconds, lie in an array of counters outside its heap.
serve(Asked, Entries, Store, Times, Last, Done) ->
    receive
        {chunk, From, Until, Client} ->
            {Found, Next} = chunk(Asked, From, Until, Entries, Store, 0),
            Client ! {found, Found},
            Now = completed(Times, Last, Done),
            serve(Asked, Entries, Next, Times, Now, Done + 1);
        {one, Operation, Client} ->
            {Found, Next} = operate(Operation, Store),
            Client ! {found, Found},
            Now = completed(Times, Last, Done),
            serve(Asked, Entries, Next, Times, Now, Done + 1);
        {left, Client} ->
            Client ! {left, left(Store), Done}
    end.

completed(Times, Last, Done) ->
    Now = erlang:monotonic_time(nanosecond),
    atomics:put(Times, Done + 1, Now - Last),
    Now.

%% Gives seconds, a sum, and words about the times. Calls for a garbage collection that were not answered when the last operation was are not counted.
run(Kind, Asked, Entries, Operations, Forced) ->
    Me = self(),
    Times = atomics:new(Operations + 1, []),
    Server = spawn_link(fun() ->
        Store = load(0, Entries, made(Kind)),
        Me ! loaded,
        serve(Asked, Entries, Store, Times, erlang:monotonic_time(nanosecond), 0)
    end),
    receive loaded -> ok end,
    Began = erlang:monotonic_time(nanosecond),
    Force = {Server, Operations, Forced},
    Found = case Asked of
        chunks -> chunks(Server, 1, Operations, 0, Force, 1);
        single -> singles(Server, Entries, Operations, Force)
    end,
    Wall = (erlang:monotonic_time(nanosecond) - Began) / 1.0e9,
    Full = collected(0),
    Server ! {left, Me},
    receive {left, Left, Done} -> ok end,
    Dropped = case Asked of chunks -> 0; single -> Operations div 5 end,
    {Wall, Found + Left, words(Times, Dropped + 1, Done, Full)}.

%% About these times, and how often everything was collected.
words(Times, From, To, Full) -> [quantiles(Times, From, To), io_lib:format(" full=~b", [Full])].

chunks(_, From, Operations, Sum, _, _) when From > Operations -> Sum;
chunks(Server, From, Operations, Sum, Force, At) ->
    Until = min(From + ?CHUNK, Operations + 1),
    Server ! {chunk, From, Until, self()},
    receive {found, Found} -> ok end,
    chunks(Server, Until, Operations, Sum + Found, Force, forced(Until, Force, At)).

singles(Server, Entries, Operations, Force) ->
    Sent = min(?WINDOW, Operations),
    [ask(Server, Number, Entries) || Number <- lists:seq(1, Sent)],
    singles(Server, Entries, Operations, Force, Sent, 0, 0, 1).

singles(_, _, Operations, _, _, Operations, Sum, _) -> Sum;
singles(Server, Entries, Operations, Force, Sent, Answered, Sum, At) ->
    receive {found, Found} -> ok end,
    case Sent < Operations of
        true ->
            ask(Server, Sent + 1, Entries),
            Next = forced(Sent + 1, Force, At),
            singles(Server, Entries, Operations, Force, Sent + 1, Answered + 1, Sum + Found, Next);
        false ->
            singles(Server, Entries, Operations, Force, Sent, Answered + 1, Sum + Found, At)
    end.

ask(Server, Number, Entries) -> Server ! {one, operation(single, Number, Entries), self()}.

%% Has everything of the process collected, so many times, at equal distances; nobody waits for it.
forced(Number, {Server, Operations, Forced}, At) when At =< Forced, Number >= Operations * At div (Forced + 1) ->
    erlang:garbage_collect(Server, [{async, At}]),
    At + 1;
forced(_, _, At) -> At.

collected(Full) -> receive {garbage_collect, _, _} -> collected(Full + 1) after 0 -> Full end.

quantiles(Times, From, To) ->
    Sorted = list_to_tuple(lists:sort([atomics:get(Times, At) || At <- lists:seq(From, To)])),
    Count = tuple_size(Sorted),
    At = fun(Share) -> element(min(Count, trunc(Share * Count) + 1), Sorted) / 1.0e3 end,
    Names = [{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}, {"max", 1.0}],
    lists:join(" ", [io_lib:format("~s_us=~.3f", [Name, At(Share)]) || {Name, Share} <- Names]).
