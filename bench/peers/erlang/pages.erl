%% Pages and popularity for Erlang, as examples/cache has them. Of a generator of numbers (wyrand) there is the state, which is passed on.
-module(pages).
-export([render/2, popularity/1, draw/2, state/1]).
-compile({inline, [next/1, limbs/2]}).

-define(HALF, 16#FFFFFFFF).
-define(LIMB, 16#3FFFFF).

%% A state, of a number of 64 bits. Numbers and states are pairs of halves: what has more than 59 bits lies in the heap, and a page takes hundreds of them.
state(Number) -> {(Number bsr 32) band ?HALF, Number band ?HALF}.

%% A number, and the state afterwards. The product has 128 bits; it is made of limbs of 22.
next({Before, Below}) ->
    Sum = Below + 16#AA6C78A5,
    High = (Before + 16#2D358DCC + (Sum bsr 32)) band ?HALF,
    Low = Sum band ?HALF,
    {A2, A1, A0} = limbs(High, Low),
    {B2, B1, B0} = limbs(High bxor 16#8BB84B93, Low bxor 16#962EACC9),
    P0 = A0 * B0,
    P1 = (P0 bsr 22) + A0 * B1 + A1 * B0,
    P2 = (P1 bsr 22) + A0 * B2 + A1 * B1 + A2 * B0,
    P3 = (P2 bsr 22) + A1 * B2 + A2 * B1,
    P4 = (P3 bsr 22) + A2 * B2,
    First = (P0 band ?LIMB) bor ((P1 band 16#3FF) bsl 22),
    Second = ((P1 band ?LIMB) bsr 10) bor ((P2 band 16#FFFFF) bsl 12),
    Third = ((P2 band ?LIMB) bsr 20) bor ((P3 band ?LIMB) bsl 2) bor ((P4 band 16#FF) bsl 24),
    Fourth = P4 bsr 8,
    {{Second bxor Fourth, First bxor Third}, {High, Low}}.

limbs(High, Low) -> {High bsr 12, ((High band 16#FFF) bsl 10) bor (Low bsr 22), Low band ?LIMB}.

%% From 0 to below 1.
share(Before) ->
    {{High, Low}, State} = next(Before),
    case ((High bsl 31) bor (Low bsr 1)) / (1 bsl 63) of
        Share when Share < 1.0 -> {Share, State};
        _ -> share(State)
    end.

%% Pages

words() ->
    {<<"river">>, <<"of">>, <<"the">>, <<"a">>, <<"in">>, <<"was">>, <<"is">>, <<"for">>,
     <<"station">>, <<"village">>, <<"century">>, <<"north">>, <<"south">>, <<"album">>, <<"first">>, <<"species">>,
     <<"known">>, <<"as">>, <<"family">>, <<"district">>, <<"football">>, <<"born">>, <<"by">>, <<"county">>,
     <<"season">>, <<"from">>, <<"and">>, <<"film">>, <<"railway">>, <<"church">>, <<"he">>, <<"population">>}.

%% The page of a title, of all pages of a seed that are so long on average.
render(Title, {Seed, Mean}) ->
    {Size, State} = size(Mean, state(Seed bxor (Title * 16#9E3779B97F4A7C15))),
    Number = integer_to_binary(Title),
    Head = <<"<!DOCTYPE html><html><head><title>Page ", Number/binary, "</title></head><body><h1>Page ", Number/binary, "</h1><p>">>,
    iolist_to_binary([Head | body(byte_size(Head), Size, 1, State)]).

body(Length, Size, _, _) when Length >= Size -> [<<"</p></body></html>">>];
body(Length, Size, Words, Before) ->
    {{_, Number}, State} = next(Before),
    Text = word(Number),
    case Words rem 60 of
        0 -> [<<"</p><p>">>, Text | body(Length + 7 + iolist_size(Text), Size, Words + 1, State)];
        _ -> [Text | body(Length + iolist_size(Text), Size, Words + 1, State)]
    end.

word(Word) ->
    Text = element(Word band 31 + 1, words()),
    case (Word bsr 5) rem 40 of
        0 -> [<<"<a href=\"/">>, integer_to_binary(Word bsr 12), <<"\">">>, Text, <<"</a> ">>];
        _ -> [Text, $\s]
    end.

%% Of an exponential distribution above the least.
size(Mean, Before) ->
    {Share, State} = share(Before),
    More = float(Mean - min(256, Mean)),
    {trunc(min(Mean - More - More * math:log(1.0 - Share), Mean * 8.0)), State}.

%% Popularity

%% The views of each rank and all before it, in an array outside of heaps.
popularity(Titles) ->
    Sums = atomics:new(Titles, []),
    Sum = fun(Rank, Before) ->
        After = Before + max(6, min(1000, 100000 div Rank)),
        atomics:put(Sums, Rank, After),
        After
    end,
    Views = lists:foldl(Sum, 0, lists:seq(1, Titles)),
    {Sums, Views, Titles, factor(16#9E3779B1 rem Titles, Titles)}.

factor(Factor, Titles) ->
    case gcd(Factor, Titles) of
        1 -> Factor;
        _ -> factor(Factor + 1, Titles)
    end.

gcd(A, 0) -> A;
gcd(A, B) -> gcd(B, A rem B).

%% A title, and the state afterwards: the popular ones are not beside each other.
draw({Sums, Views, Titles, Factor}, Before) ->
    {{High, Low}, State} = next(Before),
    {rank((High bsl 32 bor Low) rem Views, Sums, 0, Titles) * Factor rem Titles, State}.

%% The first, from 0 on, whose sum is larger.
rank(_, _, From, From) -> From;
rank(View, Sums, From, Until) ->
    Middle = (From + Until) div 2,
    case atomics:get(Sums, Middle + 1) =< View of
        true -> rank(View, Sums, Middle + 1, Until);
        false -> rank(View, Sums, From, Middle)
    end.
