// Pages and popularity for Go, as examples/cache has them.
package main

import (
	"math"
	"math/bits"
	"sort"
	"strconv"
	"strings"
)

// chance is a generator of numbers: wyrand.
type chance struct{ state uint64 }

func (c *chance) next() uint64 {
	c.state += 0x2d358dccaa6c78a5
	high, low := bits.Mul64(c.state, c.state^0x8bb84b93962eacc9)
	return high ^ low
}

// share is a number from 0 to below 1.
func (c *chance) share() float64 {
	for {
		if share := float64(c.next()>>1) / (1 << 63); share < 1 {
			return share
		}
	}
}

// ---- pages ----

var pageWords = strings.Fields("river of the a in was is for station village century north south album first species known as family district" +
	" football born by county season from and film railway church he population")

// pages are all pages of a seed.
type pages struct {
	seed uint64
	mean float64
}

func (p pages) render(title uint64) []byte {
	by := chance{p.seed ^ title*0x9e3779b97f4a7c15}
	size := p.bytes(&by)
	number := strconv.FormatUint(title, 10)
	html := make([]byte, 0, size+64)
	html = append(html, "<!DOCTYPE html><html><head><title>Page "+number+"</title></head><body><h1>Page "+number+"</h1><p>"...)
	for words := 1; len(html) < size; words++ {
		if words%60 == 0 {
			html = append(html, "</p><p>"...)
		}
		word := uint32(by.next())
		text := pageWords[word%32]
		if word/32%40 == 0 {
			html = append(html, `<a href="/`...)
			html = strconv.AppendUint(html, uint64(word>>12), 10)
			html = append(html, `">`+text+"</a> "...)
		} else {
			html = append(append(html, text...), ' ')
		}
	}
	return append(html, "</p></body></html>"...)
}

// bytes is how long a page is: of an exponential distribution above the least.
func (p pages) bytes(by *chance) int {
	more := p.mean - min(256, p.mean)
	return int(min(p.mean-more-float64(more*math.Log(1-by.share())), p.mean*8))
}

// ---- popularity ----

// popularity has the views of each rank and all before it.
type popularity []uint64

func popularityOf(titles uint64) popularity {
	all, sum := make(popularity, titles), uint64(0)
	for at := range all {
		sum += max(6, min(1000, 100_000/uint64(at+1)))
		all[at] = sum
	}
	return all
}

// draw gives a title: the popular ones are not beside each other.
func (p popularity) draw(by *chance) uint64 {
	titles := uint64(len(p))
	view := by.next() % p[titles-1]
	rank := sort.Search(len(p), func(at int) bool { return p[at] > view })
	factor := 0x9e3779b1 % titles
	for gcd(factor, titles) != 1 {
		factor++
	}
	return uint64(rank) * factor % titles
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
