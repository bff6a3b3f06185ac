%% text_search and edit_distance for Erlang: a process has an index, or tries. Texts, questions and sums are those of our own benches.
%% Nothing can be written after it was made: a trie is a new path of tuples for each value.
-module(texts).
-export([search/3, distance/3]).

-define(DOCUMENTS, 1000).
-define(WORDS, 200000).
-define(OF_DOCUMENT, 60).
-define(QUESTIONS, 10).
-define(BEST, 1000).

%% text_search

%% A word by chance: the one of rank r comes about as often as 1/r.
word(Number) ->
    Chance = store:mixed(Number),
    Octave = 1 bsl ((Chance bsr 40) rem 18),
    (Octave + (Chance band 16#FFFFFFFFFF) rem Octave - 1) rem ?WORDS.

document(Document) ->
    Count = fun(At, Counts) ->
        maps:update_with(word(Document * ?OF_DOCUMENT + At), fun(Count) -> Count + 1 end, 1, Counts)
    end,
    lists:foldl(Count, #{}, lists:seq(0, ?OF_DOCUMENT - 1)).

%% The index afterwards, and how many postings were made.
shard(Shard, Index) ->
    First = Shard * ?DOCUMENTS,
    lists:foldl(fun(Document, {Before, Made}) ->
        Counts = document(Document),
        Put = fun(Word, Count, Map) -> Map#{Word => [{Document, Count} | maps:get(Word, Map, [])]} end,
        {maps:fold(Put, Before, Counts), Made + map_size(Counts)}
    end, {Index, 0}, lists:seq(First, First + ?DOCUMENTS - 1)).

%% The sum of the best scores.
ask(Question, Index) ->
    Score = fun({Document, Count}, Scores) ->
        maps:update_with(Document, fun(Sum) -> Sum + Count end, Count, Scores)
    end,
    Words = [word((1 bsl 40) + Question * 2 + At) || At <- [0, 1]],
    Scores = lists:foldl(fun(Word, Scores) -> lists:foldl(Score, Scores, maps:get(Word, Index, [])) end, #{}, Words),
    lists:sum(lists:sublist(lists:reverse(lists:sort(maps:values(Scores))), ?BEST)).

%% The process with the index.
serve(Index, Times, Last, Done) ->
    receive
        {shard, Shard, Client} ->
            {Next, Made} = shard(Shard, Index),
            Client ! {answer, Made},
            serve(Next, Times, store:completed(Times, Last, Done), Done + 1);
        {ask, Question, Client} ->
            Client ! {answer, ask(Question, Index)},
            serve(Index, Times, store:completed(Times, Last, Done), Done + 1);
        {done, Client} -> Client ! {done, Done}
    end.

%% Seconds, operations (postings), the sum of all answers, and words about the times.
search(Shards, Every, Forced) ->
    Times = atomics:new(Shards + Shards div Every * ?QUESTIONS + 1, []),
    Server = spawn_link(fun() -> serve(#{}, Times, erlang:monotonic_time(nanosecond), 0) end),
    Began = erlang:monotonic_time(nanosecond),
    {Made, Sum} = shards(Server, 0, Shards, Every, {Server, Shards, Forced}, 1, 0, 0, 0),
    Wall = (erlang:monotonic_time(nanosecond) - Began) / 1.0e9,
    Full = store:collected(0),
    Server ! {done, self()},
    receive {done, Done} -> ok end,
    {Wall, Made, Sum, store:words(Times, 2, Done, Full)}.

shards(_, Shards, Shards, _, _, _, _, Made, Sum) -> {Made, Sum};
shards(Server, Shard, Shards, Every, Force, At, Asked, Made, Sum) ->
    Now = case Shard > 0 andalso Shard rem Every =:= 0 of true -> ?QUESTIONS; false -> 0 end,
    Found = [answer(Server, ask, Question) || Question <- lists:seq(Asked, Asked + Now - 1)],
    Put = answer(Server, shard, Shard),
    Next = store:forced(Shard, Force, At),
    shards(Server, Shard + 1, Shards, Every, Force, Next, Asked + Now, Made + Put, Sum + lists:sum(Found)).

answer(Server, What, Number) ->
    Server ! {What, Number, self()},
    receive {answer, Answer} -> Answer end.

%% edit_distance

%% Letters are four, by chance.
letters(Number, Count) -> list_to_tuple([(store:mixed((Number bsl 32) bor At) bsr 20) band 3 || At <- lists:seq(0, Count - 1)]).

key(One, Other, Width) -> (((1 bsl Width) bor One) bsl Width) bor Other.

known(1, {Value, _, _}) -> Value;
known(_, nil) -> nil;
known(Bits, {_, Below, _}) when Bits band 1 =:= 0 -> known(Bits bsr 1, Below);
known(Bits, {_, _, Below}) -> known(Bits bsr 1, Below).

learn(Bits, nil, Value) -> learn(Bits, {nil, nil, nil}, Value);
learn(1, {_, Zero, One}, Value) -> {Value, Zero, One};
learn(Bits, {Here, Zero, One}, Value) when Bits band 1 =:= 0 -> {Here, learn(Bits bsr 1, Zero, Value), One};
learn(Bits, {Here, Zero, One}, Value) -> {Here, Zero, learn(Bits bsr 1, One, Value)}.

%% The distance from these places on, and what is known afterwards, with how much that is.
distance(One, Other, Pair = {_, _, Width}, {Trie, Found}) ->
    Key = key(One, Other, Width),
    case known(Key, Trie) of
        {Value} -> {Value, {Trie, Found}};
        nil ->
            {Distance, {After, Now}} = count(One, Other, Pair, {Trie, Found}),
            {Distance, {learn(Key, After, {Distance}), Now + 1}}
    end.

count(One, Other, {Left, Right, _}, Known) when One =:= tuple_size(Left) -> {tuple_size(Right) - Other, Known};
count(One, Other, {Left, Right, _}, Known) when Other =:= tuple_size(Right) -> {tuple_size(Left) - One, Known};
count(One, Other, Pair = {Left, Right, _}, Known) when element(One + 1, Left) =:= element(Other + 1, Right) ->
    distance(One + 1, Other + 1, Pair, Known);
count(One, Other, Pair, Known) ->
    {Changed, First} = distance(One + 1, Other + 1, Pair, Known),
    {Without, Second} = distance(One + 1, Other, Pair, First),
    {With, Third} = distance(One, Other + 1, Pair, Second),
    {1 + min(Changed, min(Without, With)), Third}.

pairs([], _, _, _, _, Done, Sum, Found) -> {Done, Sum, Found};
pairs([{Left, Right, Width} | Pairs], Times, Last, Force, At, Done, Sum, Found) ->
    {Distance, {_, Now}} = distance(0, 0, {Left, Right, Width}, {nil, 0}),
    Completed = store:completed(Times, Last, Done),
    Next = store:forced(Done, Force, At),
    pairs(Pairs, Times, Completed, Force, Next, Done + 1, Sum + Distance, Found + Now).

%% Seconds, operations (pairs of ends), the sum of all distances, and words about the times.
distance(Count, Size, Forced) ->
    Me = self(),
    Times = atomics:new(Count * Count + 1, []),
    Width = length(integer_to_list(Size, 2)),
    Server = spawn_link(fun() ->
        Strings = [letters(Number, Size) || Number <- lists:seq(0, Count - 1)],
        Pairs = [{Left, Right, Width} || Left <- Strings, Right <- Strings],
        receive go -> ok end,
        Force = {self(), Count * Count, Forced},
        Answer = pairs(Pairs, Times, erlang:monotonic_time(nanosecond), Force, 1, 0, 0, 0),
        Me ! {done, Answer, store:collected(0)}
    end),
    Began = erlang:monotonic_time(nanosecond),
    Server ! go,
    receive {done, {Done, Sum, Found}, Full} -> ok end,
    Wall = (erlang:monotonic_time(nanosecond) - Began) / 1.0e9,
    {Wall, Found, Sum, store:words(Times, 2, Done, Full)}.
