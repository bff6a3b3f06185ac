%% lru_cache for Erlang: a process has pages by title and titles by stamp: a map and a balanced tree in its heap, or two tables of ETS. Each connection
%% is a process too. A page is a binary: its bytes lie outside of heaps and are counted. Pages are those of examples/cache, to the byte.
-module(cache).
-export([serve/6]).

%% What was asked for last has the highest stamp.
made("map") -> {#{}, gb_trees:empty()};
made("ets") -> {ets:new(pages, [set, private]), ets:new(stamps, [ordered_set, private])}.

%% The page, where it was, and the store afterwards. What is not there is rendered in the same turn, so that nobody renders it twice.
get(Title, Stamp, Capacity, Pages, Store) ->
    case look(Title, Store) of
        {Before, Html} -> {Html, hit, put(Title, Stamp, Html, without(Before, Store))};
        none ->
            Html = pages:render(Title, Pages),
            {Html, miss, put(Title, Stamp, Html, with_room(Capacity, Store))}
    end.

look(Title, {Map, _}) when is_map(Map) -> maps:get(Title, Map, none);
look(Title, {Table, _}) ->
    case ets:lookup(Table, Title) of
        [{_, Stamp, Html}] -> {Stamp, Html};
        [] -> none
    end.

put(Title, Stamp, Html, {Map, Tree}) when is_map(Map) -> {Map#{Title => {Stamp, Html}}, gb_trees:insert(Stamp, Title, Tree)};
put(Title, Stamp, Html, {Table, Stamps} = Store) ->
    ets:insert(Table, {Title, Stamp, Html}),
    ets:insert(Stamps, {Stamp, Title}),
    Store.

%% A stamp is not that of its title any more.
without(Stamp, {Map, Tree}) when is_map(Map) -> {Map, gb_trees:delete(Stamp, Tree)};
without(Stamp, {_, Stamps} = Store) -> ets:delete(Stamps, Stamp), Store.

%% When it is full, the oldest goes.
with_room(Capacity, {Map, Tree}) when map_size(Map) >= Capacity ->
    {_, Title, Younger} = gb_trees:take_smallest(Tree),
    {maps:remove(Title, Map), Younger};
with_room(Capacity, {Table, Stamps} = Store) when not is_map(Table) ->
    case ets:info(Table, size) >= Capacity of
        true ->
            Oldest = ets:first(Stamps),
            [{_, Title}] = ets:take(Stamps, Oldest),
            ets:delete(Table, Title),
            Store;
        false -> Store
    end;
with_room(_, Store) -> Store.

%% As if titles had been asked for until it is full, and half as many again. Gives the next stamp and the store.
filled(Kind, Capacity, Titles, {Seed, _} = Pages) ->
    Popularity = pages:popularity(Titles),
    fill(min(Capacity, Titles), Capacity div 2, 1, made(Kind), pages:state(Seed), {Popularity, Capacity, Pages}).

%% How many are missing, and how many come then.
fill(0, 0, Stamp, Store, _, _) -> {Stamp, Store};
fill(Missing, More, Stamp, Store, Before, {Popularity, Capacity, Pages} = From) ->
    {Title, State} = pages:draw(Popularity, Before),
    {_, Found, Next} = get(Title, Stamp, Capacity, Pages, Store),
    case Found of
        miss when Missing > 0 -> fill(Missing - 1, More, Stamp + 1, Next, State, From);
        hit when Missing > 0 -> fill(Missing, More, Stamp + 1, Next, State, From);
        _ -> fill(0, More - 1, Stamp + 1, Next, State, From)
    end.

%% The process with the cache.
cache(Stamp, Capacity, Pages, Store) ->
    receive
        {get, Title, Client, Ref} ->
            {Html, Found, Next} = get(Title, Stamp, Capacity, Pages, Store),
            Client ! {Ref, Html, Found},
            cache(Stamp + 1, Capacity, Pages, Next)
    end.

%% The page, and where it was.
ask(Cache, Title) ->
    Ref = make_ref(),
    Cache ! {get, Title, self(), Ref},
    receive {Ref, Html, Found} -> {Html, Found} end.

%% Comes back when it serves. It ends when the system is told to.
serve(Kind, Port, Capacity, Titles, Bytes, Seed) ->
    Me = self(),
    Cache = spawn_link(fun() ->
        % In words, twice what its pages will have. When those that are old have more, each collection is a full one, and the limit, of 46,422 words, does not
        % grow of itself. (`spawn_opt` takes this too, and it changes nothing there: OTP 25.)
        process_flag(min_bin_vheap_size, 2 * Capacity * Bytes div 8),
        Pages = {Seed, Bytes},
        {Stamp, Store} = filled(Kind, Capacity, Titles, Pages),
        Me ! filled,
        cache(Stamp, Capacity, Pages, Store)
    end),
    receive filled -> ok end,
    % The socket belongs to who accepts: the process that is here may end.
    spawn(fun() ->
        Options = [binary, {ip, {127, 0, 0, 1}}, {packet, http_bin}, {active, false}, {nodelay, true}, {reuseaddr, true}, {backlog, 1024}],
        {ok, Listener} = gen_tcp:listen(Port, Options),
        Me ! listens,
        accept(Listener, Cache)
    end),
    receive listens -> io:format("ready~n") end.

accept(Listener, Cache) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    Pid = spawn(fun() -> receive yours -> connection(Socket, Cache) end end),
    ok = gen_tcp:controlling_process(Socket, Pid),
    Pid ! yours,
    accept(Listener, Cache).

connection(Socket, Cache) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, {http_request, 'GET', {abs_path, <<"/", Page/binary>>}, _}} ->
            ok = headers(Socket),
            ok = gen_tcp:send(Socket, answer(Page, Cache)),
            connection(Socket, Cache);
        _ -> gen_tcp:close(Socket)
    end.

headers(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, http_eoh} -> ok;
        {ok, {http_header, _, _, _, _}} -> headers(Socket);
        Wrong -> Wrong
    end.

answer(<<"_collect">>, Cache) ->
    true = erlang:garbage_collect(Cache),
    <<"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n">>;
answer(Page, Cache) ->
    try binary_to_integer(Page) of
        Title ->
            {Html, Found} = ask(Cache, Title),
            page(Html, Found)
    catch
        error:badarg -> <<"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n">>
    end.

page(Html, Found) ->
    Length = integer_to_binary(byte_size(Html)),
    Type = <<"text/html; charset=utf-8">>,
    [<<"HTTP/1.1 200 OK\r\ncontent-type: ">>, Type, <<"\r\nx-cache: ">>, atom_to_binary(Found), <<"\r\ncontent-length: ">>, Length, <<"\r\n\r\n">>, Html].
