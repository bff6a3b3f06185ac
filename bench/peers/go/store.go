// kv_store for Go: a goroutine has a map of boxed numbers. Operations and sums are those of our own bench.
package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

var factors = [...]int{284_661_031, 324_043_739, 334_161_007, 295_214_089}

// mixed is a number below 2^59 for one below 2^58, in no order.
func mixed(number int) int {
	for _, factor := range factors {
		product := number&0x3FFF_FFFF*factor + number>>30
		number = product ^ product>>29
	}
	return number
}

type kind int

const (
	insert kind = iota
	remove
	look
)

type operation struct {
	kind         kind
	index, value int
}

// operationOf is the operation of this number: in chunks one of three kinds, of any key; else one of two, of a key that is there.
func operationOf(asked string, number, entries int) operation {
	chance := mixed(number + 1<<40)
	low := chance & 0xFF_FFFF_FFFF
	if asked == "chunks" {
		index := low % (2 * entries)
		return operation{kind(chance >> 42 % 3), index, index + number}
	}
	index := low % entries
	if chance>>42&1 == 1 {
		return operation{insert, index, index + number}
	}
	return operation{look, index, 0}
}

type store map[int]*int

func (s store) put(index, value int) {
	s[mixed(index)] = &value
}

// operate gives what was found.
func (s store) operate(o operation) (found int) {
	switch o.kind {
	case insert:
		s.put(o.index, o.value)
	case remove:
		delete(s, mixed(o.index))
	default:
		if value := s[mixed(o.index)]; value != nil {
			found = *value
		}
	}
	return found
}

// times are the nanoseconds between completions.
type times struct {
	all  []time.Duration
	last time.Time
}

func (t *times) one() {
	now := time.Now()
	t.all = append(t.all, now.Sub(t.last))
	t.last = now
}

// quantiles are microseconds, without the first times, as the driver reads them.
func (t *times) quantiles(dropped int) string {
	counted := t.all[dropped:]
	slices.Sort(counted)
	at := func(share float64) float64 {
		return float64(counted[min(len(counted)-1, int(share*float64(len(counted))))].Nanoseconds()) / 1e3
	}
	names := []string{"p50", "p99", "p999", "p9999", "max"}
	var words []string
	for place, share := range []float64{0.5, 0.99, 0.999, 0.9999, 1} {
		words = append(words, fmt.Sprintf("%s_us=%.3f", names[place], at(share)))
	}
	return strings.Join(words, " ")
}

type request struct {
	operation operation
	// A chunk, if there is an end.
	from, until int
	answer      chan<- int
}

const chunk, window = 100_000, 64

// sized is how large a store is, and how it is asked.
type sized struct {
	asked                       string
	entries, operations, forced int
}

// kvStore gives the sum of what was found and of what is left.
func kvStore(size sized) (wall time.Duration, sum int, took string) {
	requests := make(chan request, window)
	loaded := make(chan struct{})
	type ended struct {
		left  int
		times *times
	}
	end := make(chan ended)
	go func() {
		entries := store{}
		for index := range size.entries {
			entries.put(index, index)
		}
		t := &times{all: make([]time.Duration, 0, size.operations)}
		t.last = time.Now()
		close(loaded)
		for asked := range requests {
			found := 0
			if asked.until > 0 {
				for number := asked.from; number < asked.until; number++ {
					found += entries.operate(operationOf(size.asked, number, size.entries))
				}
			} else {
				found = entries.operate(asked.operation)
			}
			asked.answer <- found
			t.one()
		}
		left := 0
		for _, value := range entries {
			left += *value
		}
		end <- ended{left, t}
	}()
	<-loaded
	before := collections()
	began := time.Now()
	answers := make(chan int, window)
	dropped := 0
	force := forcing(size)
	if size.asked == "chunks" {
		for from := 1; from <= size.operations; from += chunk {
			until := min(from+chunk, size.operations+1)
			requests <- request{from: from, until: until, answer: answers}
			sum += <-answers
			force(until)
		}
	} else {
		dropped = size.operations / 5
		ask := func(number int) {
			requests <- request{operation: operationOf(size.asked, number, size.entries), answer: answers}
			force(number)
		}
		for number := 1; number <= window; number++ {
			ask(number)
		}
		for number := window + 1; number <= size.operations+window; number++ {
			sum += <-answers
			if number <= size.operations {
				ask(number)
			}
		}
	}
	wall = time.Since(began)
	full := collections() - before
	close(requests)
	it := <-end
	return wall, sum + it.left, fmt.Sprintf("%s full=%d", it.times.quantiles(dropped), full)
}

// forcing has everything collected, so many times, at equal distances; nobody waits for it.
func forcing(size sized) func(number int) {
	at := 1
	return func(number int) {
		if at <= size.forced && number >= size.operations*at/(size.forced+1) {
			at++
			go runtime.GC()
		}
	}
}

func collections() int {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.NumGC)
}
