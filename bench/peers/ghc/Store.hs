{-# LANGUAGE BangPatterns #-}
-- | @kv_store@ for GHC: a thread has a map, whose values are boxes. Operations and sums are those of our own bench.
module Store (Size (..), store, mixed, newTimes, completed, timesOf, forcing, collections) where

import Control.Concurrent
import Control.Monad
import Data.Array.IO
import Data.Array.Unboxed
import Data.Bits
import qualified Data.IntMap.Strict as Map
import Data.IORef
import Data.List (foldl', sort)
import Data.Word
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Stats
import System.Mem (performMajorGC)
import Text.Printf

-- | How large a store is, how it is asked, and how often everything is collected meanwhile.
data Size = Size { asked :: !String, entries, operations, forced :: !Int }

-- | A number below 2^59 for one below 2^58, in no order.
mixed :: Int -> Int
mixed = step 295214089 . step 334161007 . step 324043739 . step 284661031
  where
    step factor number =
      let product' = (number .&. 0x3FFFFFFF) * factor + number `unsafeShiftR` 30
      in product' `xor` (product' `unsafeShiftR` 29)

data Operation = Insert !Int !Int | Delete !Int | Look !Int

-- | The operation of this number: in chunks one of three, of any key; else one of two, of a key that is there.
operation :: Bool -> Int -> Int -> Operation
operation inChunks number all'
  | inChunks = case (chance `unsafeShiftR` 42) `rem` 3 of
      0 -> Insert any' (any' + number)
      1 -> Delete any'
      _ -> Look any'
  | testBit chance 42 = Insert there (there + number)
  | otherwise = Look there
  where
    chance = mixed (number + bit 40)
    low = chance .&. 0xFFFFFFFFFF
    any' = low `rem` (2 * all')
    there = low `rem` all'

type Entries = Map.IntMap Int

-- | What was found, and the entries afterwards.
operate :: Operation -> Entries -> (Int, Entries)
operate (Insert index value) map' = let !next = Map.insert (mixed index) value map' in (0, next)
operate (Delete index) map' = let !next = Map.delete (mixed index) map' in (0, next)
operate (Look index) map' = let !found = Map.findWithDefault 0 (mixed index) map' in (found, map')

load :: Int -> Entries
load all' = go 0 Map.empty
  where
    go index !map'
      | index == all' = map'
      | otherwise = go (index + 1) (Map.insert (mixed index) index map')

-- | All operations of a chunk.
chunk :: Int -> Int -> Int -> Entries -> (Int, Entries)
chunk all' from until' = go from 0
  where
    go !number !sums !map'
      | number == until' = (sums, map')
      | otherwise = let (found, next) = operate (operation True number all') map' in go (number + 1) (sums + found) next

data Request = Chunk !Int !Int | One !Operation | Left'

-- | Times between completions; how many there are, and when the last one was.
data Times = Times (IOUArray Int Word64) (IORef Int) (IORef Word64)

newTimes :: Int -> IO Times
newTimes most = Times <$> newArray (0, most) 0 <*> newIORef 0 <*> newIORef 0

-- | Words about them without the first ones, and how often everything was collected.
timesOf :: Times -> Int -> Word32 -> IO String
timesOf (Times times count _) dropped full = do
  done <- readIORef count
  counted <- forM [dropped .. done - 1] (readArray times)
  return $ quantiles counted ++ printf " full=%d" full

completed :: Times -> IO ()
completed (Times times count last') = do
  now <- getMonotonicTimeNSec
  before <- readIORef last'
  at <- readIORef count
  writeArray times at (now - before)
  writeIORef count $! at + 1
  writeIORef last' $! now

serve :: Size -> Times -> Chan Request -> Chan Int -> Entries -> IO ()
serve size times requests answers = go
  where
    go !map' = readChan requests >>= \request -> case request of
      Chunk from until' -> answer (chunk (entries size) from until' map')
      One one -> answer (operate one map')
      Left' -> writeChan answers $! foldl' (+) 0 map'
    answer (!found, !next) = do
      writeChan answers found
      completed times
      go next

-- | Seconds, the sum of what was found and of what is left, and words about the times.
store :: Size -> IO (Double, Int, String)
store size = do
  requests <- newChan
  answers <- newChan
  times@(Times _ _ last') <- newTimes (operations size)
  loaded <- newEmptyMVar
  _ <- forkIO $ do
    let !map' = load (entries size)
    getMonotonicTimeNSec >>= writeIORef last'
    putMVar loaded ()
    serve size times requests answers map'
  takeMVar loaded
  before <- collections
  force <- forcing size
  began <- getMonotonicTimeNSec
  found <- if inChunks then chunks requests answers force else singles requests answers force
  ended <- getMonotonicTimeNSec
  after <- collections
  writeChan requests Left'
  left <- readChan answers
  took <- timesOf times (if inChunks then 0 else operations size `div` 5) (after - before)
  return (fromIntegral (ended - began) / 1e9, found + left, took)
  where
    inChunks = asked size == "chunks"
    chunks requests answers force = go 1 0
      where
        go from !sums
          | from > operations size = return sums
          | otherwise = do
              let until' = min (from + 100000) (operations size + 1)
              writeChan requests (Chunk from until')
              found <- readChan answers
              force until'
              go until' (sums + found)
    singles requests answers force = do
      let ask number = do
            writeChan requests $! One $! operation False number (entries size)
            force number
          sent = min 64 (operations size)
          go !number !sums
            | number > operations size + sent = return sums
            | otherwise = do
                found <- readChan answers
                when (number <= operations size) $ ask number
                go (number + 1) (sums + found)
      forM_ [1 .. sent] ask
      go (sent + 1) 0

-- | Has everything collected, so many times, at equal distances; nobody waits for it.
forcing :: Size -> IO (Int -> IO ())
forcing size = do
  at <- newIORef 1
  return $ \number -> do
    next <- readIORef at
    when (next <= forced size && number >= operations size * next `div` (forced size + 1)) $ do
      writeIORef at $! next + 1
      void $ forkIO performMajorGC

collections :: IO Word32
collections = do
  known <- getRTSStatsEnabled
  if known then major_gcs <$> getRTSStats else return 0

quantiles :: [Word64] -> String
quantiles times = unwords [printf "%s_us=%.3f" name (at share) | (name, share) <- shares]
  where
    count = length times
    sorted = listArray (0, count - 1) (sort times) :: UArray Int Word64
    at share = fromIntegral (sorted ! min (count - 1) (floor (share * fromIntegral count :: Double))) / 1e3 :: Double
    shares = [("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("p9999", 0.9999), ("max", 1)] :: [(String, Double)]
