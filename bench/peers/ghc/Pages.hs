{-# LANGUAGE BangPatterns, MagicHash, OverloadedStrings, UnboxedTuples #-}
-- | Pages and popularity, as examples/cache has them. Of a generator of numbers (wyrand) there is the state, which is passed on.
module Pages (Pages (..), render, Popularity, popularity, draw) where

import Data.Array.Unboxed
import Data.Bits
import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as Bytes
import GHC.Exts
import GHC.Word

-- | A number, and the state afterwards.
next :: Word64 -> (Word64, Word64)
next before = (high `xor` low, state)
  where
    !state = before + 0x2d358dccaa6c78a5
    (!high, !low) = wide state (state `xor` 0x8bb84b93962eacc9)

-- | A product of two words, in two words.
wide :: Word64 -> Word64 -> (Word64, Word64)
wide (W64# one) (W64# other) = case timesWord2# one other of (# high, low #) -> (W64# high, W64# low)

-- | From 0 to below 1.
share :: Word64 -> (Double, Word64)
share before
  | part < 1 = (part, state)
  | otherwise = share state
  where
    (number, state) = next before
    part = fromIntegral (number `unsafeShiftR` 1) / 9223372036854775808

-- pages

-- | All pages of a seed, and how long they are on average.
data Pages = Pages { seed :: !Word64, mean :: !Double }

texts :: Array Int ByteString
texts = listArray (0, 31) $ Bytes.words $
  "river of the a in was is for station village century north south album first species known as family district"
    <> " football born by county season from and film railway church he population"

-- | The page of a title.
render :: Pages -> Int -> ByteString
render pages title = Bytes.concat (start : body (Bytes.length start) 1 state)
  where
    (size, state) = sizeOf pages (seed pages `xor` (fromIntegral title * 0x9e3779b97f4a7c15))
    number = Bytes.pack (show title)
    start = "<!DOCTYPE html><html><head><title>Page " <> number <> "</title></head><body><h1>Page " <> number <> "</h1><p>"
    body :: Int -> Int -> Word64 -> [ByteString]
    body !written !count !before
      | written >= size = ["</p></body></html>"]
      | count `rem` 60 == 0 = "</p><p>" : more (written + 7)
      | otherwise = more written
      where
        (drawn, after) = next before
        (text, bytes) = word (drawn .&. 0xffffffff)
        more far = text ++ body (far + bytes) (count + 1) after

-- | What comes for a word, and how many bytes it has.
word :: Word64 -> ([ByteString], Int)
word it
  | (it `unsafeShiftR` 5) `rem` 40 == 0 = let all' = ["<a href=\"/", link, "\">", text, "</a> "] in (all', sum (map Bytes.length all'))
  | otherwise = ([text, " "], Bytes.length text + 1)
  where
    text = texts ! fromIntegral (it .&. 31)
    link = Bytes.pack (show (it `unsafeShiftR` 12))

-- | Of an exponential distribution above the least.
sizeOf :: Pages -> Word64 -> (Int, Word64)
sizeOf pages before = (truncate (min (mean pages - more - more * log (1 - part)) (mean pages * 8)), state)
  where
    more = mean pages - min 256 (mean pages)
    (part, state) = share before

-- popularity

-- | The views of each rank and all before it; how many ranks there are; and a factor.
data Popularity = Popularity !(UArray Int Int) !Int !Int

popularity :: Int -> Popularity
popularity titles = Popularity (listArray (0, titles - 1) sums) titles (head (filter ((== 1) . gcd titles) [0x9e3779b1 `rem` titles ..]))
  where
    sums = scanl1 (+) [max 6 (min 1000 (100000 `div` rank)) | rank <- [1 .. titles]]

-- | A title, and the state afterwards: the popular ones are not beside each other.
draw :: Popularity -> Word64 -> (Int, Word64)
draw (Popularity sums titles factor) before = (rank 0 titles * factor `rem` titles, state)
  where
    (number, state) = next before
    view = fromIntegral (number `rem` fromIntegral (sums ! (titles - 1))) :: Int
    -- The first whose sum is larger.
    rank :: Int -> Int -> Int
    rank !from !until'
      | from == until' = from
      | sums ! middle <= view = rank (middle + 1) until'
      | otherwise = rank from middle
      where middle = (from + until') `div` 2
