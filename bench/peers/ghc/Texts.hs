{-# LANGUAGE BangPatterns #-}
-- | @text_search@ and @edit_distance@ for GHC: a thread has an index, or tries. Texts, questions and sums are those of our own benches.
module Texts (textSearch, editDistance) where

import Control.Concurrent
import Control.Monad
import Data.Array.Unboxed
import Data.Bits
import qualified Data.IntMap.Strict as Map
import Data.IORef
import Data.List (foldl')
import GHC.Clock (getMonotonicTimeNSec)
import Store

-- text_search

documents, words', ofDocument, questions, best :: Int
documents = 1000
words' = 200000
ofDocument = 60
questions = 10
best = 1000

-- | A word by chance: the one of rank r comes about as often as 1/r.
word :: Int -> Int
word number = (octave + (chance .&. 0xFFFFFFFFFF) `rem` octave - 1) `rem` words'
  where
    chance = mixed number
    octave = bit ((chance `unsafeShiftR` 40) `rem` 18)

data Postings = None | Posting !Int !Int !Postings

type Index = Map.IntMap Postings

-- | The words of a document, each once, and how often it is there.
document :: Int -> Map.IntMap Int
document number = foldl' count Map.empty [0 .. ofDocument - 1]
  where
    count counts at = Map.insertWith (+) (word (number * ofDocument + at)) 1 counts

-- | How many postings were made, and the index afterwards.
shard :: Int -> Index -> (Int, Index)
shard number index = foldl' add (0, index) [number * documents .. (number + 1) * documents - 1]
  where
    add (!made, !before) at =
      let !counts = document at
          !after = Map.foldlWithKey' (put at) before counts
      in (made + Map.size counts, after)
    put at before word'' count = Map.alter (Just . new at count) word'' before
    new at count Nothing = Posting at count None
    new at count (Just next) = Posting at count next

-- | The sum of the best scores.
ask :: Int -> Index -> Int
ask question index = top best (Map.toDescList (Map.fromListWith (+) [(score, 1) | score <- Map.elems scores]))
  where
    scores = foldl' (\sums at -> score sums (Map.findWithDefault None (word (bit 40 + question * 2 + at)) index)) Map.empty [0, 1]
    score !sums None = sums
    score !sums (Posting at count next) = score (Map.insertWith (+) at count sums) next
    top :: Int -> [(Int, Int)] -> Int
    top 0 _ = 0
    top _ [] = 0
    top left ((value, count) : rest) = let taken = min left count in value * taken + top (left - taken) rest

data Wish = Shard !Int | Ask !Int

-- | Seconds, operations (postings), the sum of all answers, and words about the times.
textSearch :: Int -> Int -> Int -> IO (Double, Int, Int, String)
textSearch shards every forced' = do
  wishes <- newChan
  answers <- newChan
  times <- newTimes (shards + shards `div` every * questions)
  let serve !index = readChan wishes >>= \wish -> case wish of
        Shard number -> let (!made, !next) = shard number index in answered made next
        Ask number -> answered (ask number index) index
      answered !answer !index = do
        writeChan answers answer
        completed times
        serve index
  _ <- forkIO (serve Map.empty)
  let wish it = writeChan wishes it >> readChan answers
  before <- collections
  force <- forcing (Size "" 0 shards forced')
  began <- getMonotonicTimeNSec
  sums <- forM [0 .. shards - 1] $ \number -> do
    let asked' = (number `div` every - 1) * questions
        now = if number > 0 && number `rem` every == 0 then [asked' .. asked' + questions - 1] else []
    found <- foldM (\found question -> (found +) <$> wish (Ask question)) 0 now
    made <- wish (Shard number)
    force number
    return (made, found)
  ended <- getMonotonicTimeNSec
  after <- collections
  took <- timesOf times 1 (after - before)
  return (fromIntegral (ended - began) / 1e9, sum (map fst sums), sum (map snd sums), took)

-- edit_distance

-- | Letters are four, by chance.
letters :: Int -> Int -> UArray Int Int
letters number count = listArray (0, count - 1) [(mixed ((number `shiftL` 32) .|. at) `shiftR` 20) .&. 3 | at <- [0 .. count - 1]]

-- | A value, and what is below the next bit.
data Trie = Empty | Trie !(IORef Known) !(IORef Trie) !(IORef Trie)

data Known = Unknown | Known !Int

newTrie :: IO Trie
newTrie = Trie <$> newIORef Unknown <*> newIORef Empty <*> newIORef Empty

-- | The node of these bits, which is made if it is not there.
node :: Trie -> Int -> IO (IORef Known)
node Empty _ = fail "there is a root"
node (Trie value _ _) 1 = return value
node (Trie _ zero one) bits = do
  let place = if testBit bits 0 then one else zero
  below <- readIORef place
  case below of
    Empty -> do
      fresh <- newTrie
      writeIORef place $! fresh
      node fresh (bits `unsafeShiftR` 1)
    _ -> node below (bits `unsafeShiftR` 1)

-- | The distance, and how many pairs of ends were found.
distanceOf :: Int -> UArray Int Int -> UArray Int Int -> IO (Int, Int)
distanceOf count left right = do
  root <- newTrie
  found <- newIORef 0
  let width = finiteBitSize count - countLeadingZeros count
      distance :: Int -> Int -> IO Int
      distance !one !other = do
        place <- node root ((((1 `unsafeShiftL` width) .|. one) `unsafeShiftL` width) .|. other)
        known <- readIORef place
        case known of
          Known value -> return value
          Unknown -> do
            value <- new one other
            modifyIORef' found (+ 1)
            writeIORef place $! Known value
            return value
      new one other
        | one == count = return $! count - other
        | other == count = return $! count - one
        | left ! one == right ! other = distance (one + 1) (other + 1)
        | otherwise = do
            changed <- distance (one + 1) (other + 1)
            without <- distance (one + 1) other
            with <- distance one (other + 1)
            return $! 1 + min changed (min without with)
  value <- distance 0 0
  number <- readIORef found
  return (value, number)

-- | Seconds, operations (pairs of ends), the sum of all distances, and words about the times.
editDistance :: Int -> Int -> Int -> IO (Double, Int, Int, String)
editDistance count size forced' = do
  times <- newTimes (count * count)
  go <- newEmptyMVar
  done <- newEmptyMVar
  let strings = [letters number size | number <- [0 .. count - 1]]
  _ <- forkIO $ do
    takeMVar go
    force <- forcing (Size "" 0 (count * count) forced')
    let pairs = zip [0 ..] [(left, right) | left <- strings, right <- strings]
    sums <- forM pairs $ \(number, (left, right)) -> do
      both <- distanceOf size left right
      completed times
      force number
      return both
    putMVar done sums
  before <- collections
  began <- getMonotonicTimeNSec
  putMVar go ()
  sums <- takeMVar done
  ended <- getMonotonicTimeNSec
  after <- collections
  took <- timesOf times 1 (after - before)
  return (fromIntegral (ended - began) / 1e9, sum (map snd sums), sum (map fst sums), took)
