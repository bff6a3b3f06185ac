{-# LANGUAGE BangPatterns #-}
-- Otherwise the numbers of the array's places become a list that is made once, beside the array.
{-# OPTIONS_GHC -fno-full-laziness #-}
-- | @gcbench@ and @list_alloc@ for GHC, and the program: an actor is a thread that reads questions from a 'Chan'. The work is that of our own
-- benches. A node's children are 'IORef's, so that a tree can be made from the top down; and all trees are made in 'IO', for
-- of equal trees in pure code GHC may make one and share it.
module Main (main) where

import Cache
import Control.Concurrent
import Control.Monad
import Data.Array.IO
import Data.Bits
import Data.Int
import Data.IORef
import GHC.Clock (getMonotonicTimeNSec)
import Store
import Texts
import System.Environment
import System.Exit
import Text.Printf

-- gcbench

data Tree = None | Node { left, right :: !(IORef Tree), i, j :: !Int32 }

node :: Tree -> Tree -> IO Tree
node l r = do
  left' <- newIORef l
  right' <- newIORef r
  return $! Node left' right' 0 0

-- | From the top down.
populate :: Int -> Tree -> IO ()
populate depth tree = when (depth > 0) $ do
  l <- node None None
  r <- node None None
  writeIORef (left tree) l
  writeIORef (right tree) r
  populate (depth - 1) l
  populate (depth - 1) r

populated :: Int -> IO Tree
populated depth = do
  tree <- node None None
  populate depth tree
  return tree

-- | From the bottom up.
make :: Int -> IO Tree
make 0 = node None None
make depth = do
  l <- make (depth - 1)
  r <- make (depth - 1)
  node l r

-- | How far it is to the end, always to the left.
depthOf :: Tree -> IO Int
depthOf = go (-1)
  where
    go !far None = return far
    go !far tree = readIORef (left tree) >>= go (far + 1)

nodes :: Tree -> IO Int
nodes None = return 0
nodes tree = do
  l <- readIORef (left tree) >>= nodes
  r <- readIORef (right tree) >>= nodes
  return $! 1 + fromIntegral (i tree + j tree) + l + r

size :: Int -> Int
size depth = bit (depth + 1) - 1

-- | Depths, and how many trees of each, of either kind.
rounds :: Int -> [(Int, Int)]
rounds stretch = [(depth, 2 * size stretch `div` size depth) | depth <- [4, 6 .. stretch - 2]]

-- | The depths of all trees that do not stay, and the nodes of the one that does.
gcbench :: Int -> IO Int
gcbench stretch = do
  first <- make stretch >>= depthOf
  stays <- populated (stretch - 2)
  array <- newArray (0, 499999) 0 :: IO (IOUArray Int Double)
  forM_ [1 .. 249999] $ \at -> writeArray array at (1 / fromIntegral at)
  depths <- forM (rounds stretch) $ \(depth, trees) -> do
    down <- total trees (populated depth >>= depthOf)
    up <- total trees (make depth >>= depthOf)
    return $! down + up
  number <- readArray array 1000
  when (number /= 1 / 1000) $ fail "the array is wrong"
  (first + sum depths +) <$> nodes stays

-- | The sum of what an action gives so many times.
total :: Int -> IO Int -> IO Int
total times action = go times 0
  where
    go :: Int -> Int -> IO Int
    go 0 !sums = return sums
    go left' !sums = action >>= \it -> go (left' - 1) (sums + it)

gcbenchSum, gcbenchNodes :: Int -> Int
gcbenchSum stretch = stretch + size (stretch - 2) + sum [2 * trees * depth | (depth, trees) <- rounds stretch]
gcbenchNodes stretch = size stretch + size (stretch - 2) + sum [2 * trees * size depth | (depth, trees) <- rounds stretch]

-- list_alloc

data Link = End | Link !Int !Link

grow :: Int -> Link
grow links = go 0 End
  where
    go value !list
      | value == links = list
      | otherwise = go (value + 1) (Link value list)

sumOf :: Link -> Int
sumOf = go 0
  where
    go !sums End = sums
    go !sums (Link value next) = go (sums + value) next

-- | Twice the sum of a list, which the actor keeps.
listAlloc :: IORef Link -> Int -> IO Int
listAlloc kept links = do
  writeIORef kept $! grow links
  once <- sumOf <$> readIORef kept
  again <- once `seq` sumOf <$> readIORef kept
  return $! once + again

-- the program

-- | Asks a new actor one question: seconds until its answer, and the answer.
ask :: (Int -> IO Int) -> Int -> IO (Double, Int)
ask behaviour question = do
  questions <- newChan
  _ <- forkIO $ forever $ do
    (asked, to) <- readChan questions
    answer <- behaviour asked
    putMVar to answer
  to <- newEmptyMVar
  began <- getMonotonicTimeNSec
  writeChan questions (question, to)
  answer <- takeMVar to
  ended <- getMonotonicTimeNSec
  return (fromIntegral (ended - began) / 1e9, answer)

usage :: IO a
usage = die $ "usage: gcbench THREADS DEPTH | list_alloc THREADS LINKS | kv_store THREADS chunks|single ENTRIES OPERATIONS FORCED"
  ++ " | text_search THREADS SHARDS EVERY FORCED | edit_distance THREADS STRINGS LETTERS FORCED"
  ++ " | lru_cache PORT CAPACITY TITLES PAGE_BYTES SEED"

main :: IO ()
main = do
  words' <- getArgs
  case words' of
    ["kv_store", threads, asked', entries', operations', forced'] -> do
      setNumCapabilities (read threads)
      (wall, sums, times) <- store (Size asked' (read entries') (read operations') (read forced'))
      printf "kv_store %.6f %s %d %s\n" wall operations' sums times
    [bench, threads, one, other, forced'] | Just run <- lookup bench [("text_search", textSearch), ("edit_distance", editDistance)] -> do
      setNumCapabilities (read threads)
      (wall, ops, sums, times) <- run (read one) (read other) (read forced')
      printf "%s %.6f %d %d %s\n" bench wall ops sums times
    ["lru_cache", port, capacity, titles, bytes, seed'] -> lruCache (read port) (read capacity) (read titles) (read bytes) (read seed')
    [bench, threads, number] | bench `elem` ["gcbench", "list_alloc"] -> do
      setNumCapabilities (read threads)
      graphs bench (read number)
    _ -> usage

graphs :: String -> Int -> IO ()
graphs bench number = do
  kept <- newIORef End
  let (behaviour, expected, ops) = case bench of
        "gcbench" -> (gcbench, gcbenchSum number, gcbenchNodes number)
        _ -> (listAlloc kept, number * (number - 1), number)
  (wall, got) <- ask behaviour number
  when (got /= expected) $ die $ printf "%s: wrong result: it must be %d and is %d" bench expected got
  printf "%s %.6f %d %d\n" bench wall ops got
