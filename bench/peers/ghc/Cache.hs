{-# LANGUAGE BangPatterns, OverloadedStrings #-}
-- | @lru_cache@ for GHC: pages by title and titles by stamp, two maps in an 'MVar'; a thread for each connection. Pages are those of
-- examples/cache, to the byte.
module Cache (lruCache) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as Bytes
import qualified Data.IntMap.Strict as Map
import Data.Word
import GHC.Conc (getNumProcessors)
import Network.Socket
import Network.Socket.ByteString (recv, sendMany)
import Pages
import Store (collections)
import System.IO
import System.Mem
import System.Posix.Signals
import Text.Printf

data Entry = Entry !Int !ByteString

-- | What was asked for last has the highest stamp. How many there are is counted: a map would count for long.
data Cache = Cache { stamp, count :: !Int, entries :: !(Map.IntMap Entry), order :: !(Map.IntMap Int) }

data Found = Hit | Miss

type Get = Int -> Cache -> (Cache, ByteString, Found)

-- | The cache afterwards, the page, and where it was. What is not there is rendered meanwhile, so that nobody renders it twice.
get :: Int -> Pages -> Get
get capacity pages title cache = case Map.lookup title (entries cache) of
  Just (Entry before html) -> (put title html cache { order = Map.delete before (order cache) }, html, Hit)
  Nothing ->
    let !html = render pages title
        !room = withRoom capacity cache
    in (put title html room { count = count room + 1 }, html, Miss)

put :: Int -> ByteString -> Cache -> Cache
put title html cache = cache
  { stamp = stamp cache + 1
  , entries = Map.insert title (Entry (stamp cache) html) (entries cache)
  , order = Map.insert (stamp cache) title (order cache)
  }

-- | When it is full, the oldest goes.
withRoom :: Int -> Cache -> Cache
withRoom capacity cache
  | count cache >= capacity, Just (oldest, younger) <- Map.minView (order cache) =
      cache { count = count cache - 1, entries = Map.delete oldest (entries cache), order = younger }
  | otherwise = cache

-- | As if titles had been asked for until it is full, and half as many again.
filled :: Int -> Int -> Word64 -> Get -> Cache
filled capacity titles = go (capacity `div` 2) (Cache 0 0 Map.empty Map.empty)
  where
    all' = popularity titles
    go :: Int -> Cache -> Word64 -> Get -> Cache
    go !more !cache !before ask
      | not full = go more after state ask
      | more > 0 = go (more - 1) after state ask
      | otherwise = cache
      where
        full = count cache >= min capacity titles
        (title, state) = draw all' before
        (after, _, _) = ask title cache

-- the server

-- | Answers requests until there are no more.
connection :: (Int -> IO (ByteString, Found)) -> Socket -> IO ()
connection ask socket' = go Bytes.empty
  where
    go before
      | Bytes.null rest = do
          more <- recv socket' 4096
          unless (Bytes.null more) $ go (before <> more)
      | otherwise = do
          answer request
          go (Bytes.drop 4 rest)
      where (request, rest) = Bytes.breakSubstring "\r\n\r\n" before
    answer request = case Bytes.words request of
      "GET" : "/_collect" : _ -> do
        performMajorGC
        sendMany socket' ["HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"]
      "GET" : path : _ | Just (title, "") <- Bytes.readInt (Bytes.drop 1 path) -> do
        (html, found) <- ask title
        sendMany socket' [start found (Bytes.length html), html]
      _ -> sendMany socket' ["HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"]
    start found bytes = Bytes.concat
      [ "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\nx-cache: "
      , case found of Hit -> "hit"; Miss -> "miss"
      , "\r\ncontent-length: ", Bytes.pack (show bytes), "\r\n\r\n"
      ]

-- | Listens, and has a thread for each connection.
listening :: Int -> (Int -> IO (ByteString, Found)) -> IO ()
listening port ask = do
  listener <- socket AF_INET Stream defaultProtocol
  setSocketOption listener ReuseAddr 1
  bind listener (SockAddrInet (fromIntegral port) (tupleToHostAddress (127, 0, 0, 1)))
  listen listener 1024
  void $ forkIO $ forever $ do
    (accepted, _) <- accept listener
    setSocketOption accepted NoDelay 1
    forkIO $ connection ask accepted `finally` close accepted

-- | Serves until it is told to end, and says then how often everything was collected.
lruCache :: Int -> Int -> Int -> Int -> Int -> IO ()
lruCache port capacity titles bytes seed' = do
  getNumProcessors >>= setNumCapabilities
  let pages = Pages (fromIntegral seed') (fromIntegral bytes)
      ask = get capacity pages
  cache <- newMVar $! filled capacity titles (seed pages) ask
  listening port $ \title -> modifyMVar cache $ \before ->
    let (!after, !html, !found) = ask title before in return (after, (html, found))
  ended <- newEmptyMVar
  _ <- installHandler sigTERM (Catch (putMVar ended ())) Nothing
  began <- collections
  putStrLn "ready"
  hFlush stdout
  takeMVar ended
  now <- collections
  printf "full=%d\n" (now - began)
