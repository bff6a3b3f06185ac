// text_search and edit_distance for Go: a goroutine has an index, or tries. Texts, questions and sums are those of our own benches.
package main

import (
	"container/heap"
	"fmt"
	"math/bits"
	"runtime"
	"time"
)

// ---- text_search ----

const wordsOfDocument, questions, best, documents, words = 60, 10, 1_000, 1_000, 200_000

// word is a word by chance: the one of rank r comes about as often as 1/r.
func word(number int) int {
	chance := mixed(number)
	octave := 1 << (chance >> 40 % bits.Len(words))
	return (octave + chance&0xFF_FFFF_FFFF%octave - 1) % words
}

type posting struct {
	document int
	count    uint32
	next     *posting
}

// smallest has the smallest score first.
type smallest []int

func (s smallest) Len() int           { return len(s) }
func (s smallest) Less(i, j int) bool { return s[i] < s[j] }
func (s smallest) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *smallest) Push(score any)    { *s = append(*s, score.(int)) }
func (s *smallest) Pop() any {
	last := len(*s) - 1
	score := (*s)[last]
	*s = (*s)[:last]
	return score
}

type index map[int]*posting

func (i index) shard(shard int) int {
	made, counts := 0, map[int]uint32{}
	for document := shard * documents; document < (shard+1)*documents; document++ {
		clear(counts)
		for at := range wordsOfDocument {
			counts[word(document*wordsOfDocument+at)]++
		}
		for word, count := range counts {
			i[word] = &posting{document, count, i[word]}
		}
		made += len(counts)
	}
	return made
}

// ask gives the sum of the best scores.
func (i index) ask(question int) (sum int) {
	scores := map[int]int{}
	for at := range 2 {
		for it := i[word(1<<40+question*2+at)]; it != nil; it = it.next {
			scores[it.document] += int(it.count)
		}
	}
	kept := smallest{}
	for _, score := range scores {
		if len(kept) < best {
			heap.Push(&kept, score)
		} else if score > kept[0] {
			kept[0] = score
			heap.Fix(&kept, 0)
		}
	}
	for _, score := range kept {
		sum += score
	}
	return sum
}

// textSearch gives the scores of all answers; an operation is a posting.
func textSearch(shards, every, forced int) (wall time.Duration, made, sum int, took string) {
	type wish struct {
		number   int
		question bool
	}
	wishes, answers := make(chan wish), make(chan int)
	t := &times{}
	go func() {
		entries := index{}
		t.last = time.Now()
		for wish := range wishes {
			answer := 0
			if wish.question {
				answer = entries.ask(wish.number)
			} else {
				answer = entries.shard(wish.number)
			}
			t.one()
			answers <- answer
		}
		answers <- len(entries)
	}()
	before, began, asked := collections(), time.Now(), 0
	force := forcing(sized{operations: shards, forced: forced})
	for shard := range shards {
		if shard > 0 && shard%every == 0 {
			for range questions {
				wishes <- wish{asked, true}
				sum += <-answers
				asked++
			}
		}
		wishes <- wish{shard, false}
		made += <-answers
		force(shard)
	}
	wall = time.Since(began)
	full := collections() - before
	close(wishes)
	<-answers
	return wall, made, sum, fmt.Sprintf("%s full=%d", t.quantiles(1), full)
}

// ---- edit_distance ----

// letters are four, by chance.
func letters(number, count int) []byte {
	all := make([]byte, count)
	for at := range all {
		all[at] = byte(mixed(number<<32|at) >> 20 & 3)
	}
	return all
}

type trie struct {
	value *int
	below [2]*trie
}

type pair struct {
	left, right []byte
	known       *trie
	width       int
	found       int
}

func (p *pair) node(one, other int) *trie {
	at := p.known
	for left := (1<<p.width|one)<<p.width | other; left > 1; left >>= 1 {
		below := at.below[left&1]
		if below == nil {
			below = &trie{}
			at.below[left&1] = below
		}
		at = below
	}
	return at
}

func (p *pair) distance(one, other int) int {
	node := p.node(one, other)
	if node.value != nil {
		return *node.value
	}
	distance := 0
	switch {
	case one == len(p.left):
		distance = len(p.right) - other
	case other == len(p.right):
		distance = len(p.left) - one
	case p.left[one] == p.right[other]:
		distance = p.distance(one+1, other+1)
	default:
		changed, without := p.distance(one+1, other+1), p.distance(one+1, other)
		distance = 1 + min(changed, without, p.distance(one, other+1))
	}
	p.found++
	node.value = &distance
	return distance
}

// editDistance gives the sum of all distances; an operation is a pair of ends.
func editDistance(count, size, forced int) (wall time.Duration, found, sum int, took string) {
	strings := make([][]byte, count)
	for number := range strings {
		strings[number] = letters(number, size)
	}
	wishes, done := make(chan struct{}), make(chan struct{})
	t := &times{}
	before := collections()
	go func() {
		<-wishes
		t.last = time.Now()
		force := forcing(sized{operations: count * count, forced: forced})
		for number := range count * count {
			both := pair{strings[number/count], strings[number%count], &trie{}, bits.Len(uint(size)), 0}
			sum += both.distance(0, 0)
			found += both.found
			runtime.KeepAlive(both.known)
			t.one()
			force(number)
		}
		close(done)
	}()
	began := time.Now()
	close(wishes)
	<-done
	wall = time.Since(began)
	return wall, found, sum, fmt.Sprintf("%s full=%d", t.quantiles(1), collections()-before)
}
