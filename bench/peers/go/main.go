// The benches of graphs for Go: an actor is a goroutine that reads questions from a channel. The work is that of our own
// benches.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

// ---- gcbench ----

type node struct {
	left, right *node
	i, j        int32
}

// populate makes a tree from the top down.
func (n *node) populate(depth int) {
	if depth > 0 {
		n.left, n.right = new(node), new(node)
		n.left.populate(depth - 1)
		n.right.populate(depth - 1)
	}
}

func populated(depth int) *node {
	tree := new(node)
	tree.populate(depth)
	return tree
}

// build makes a tree from the bottom up.
func build(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{left: build(depth - 1), right: build(depth - 1)}
}

// depth is how far it is to the end, always to the left.
func (n *node) depth() (depth int) {
	for n.left != nil {
		n = n.left
		depth++
	}
	return depth
}

func (n *node) nodes() int {
	if n == nil {
		return 0
	}
	return 1 + int(n.i+n.j) + n.left.nodes() + n.right.nodes()
}

func size(depth int) int {
	return 1<<(depth+1) - 1
}

// rounds calls each with the depths, and how many trees there are of each, of either kind.
func rounds(stretch int, each func(depth, trees int)) {
	for depth := 4; depth <= stretch-2; depth += 2 {
		each(depth, 2*size(stretch)/size(depth))
	}
}

// gcbench gives the depths of all trees that do not stay, and the nodes of the one that does.
func gcbench(stretch int) int {
	sum := build(stretch).depth()
	stays := populated(stretch - 2)
	array := make([]float64, 500_000)
	for at := 1; at < len(array)/2; at++ {
		array[at] = 1 / float64(at)
	}
	rounds(stretch, func(depth, trees int) {
		for range trees {
			sum += populated(depth).depth()
		}
		for range trees {
			sum += build(depth).depth()
		}
	})
	if array[1000] != 1.0/1000 {
		fail("gcbench: the array is wrong")
	}
	return sum + stays.nodes()
}

// expected is what must come out of gcbench, after how many operations.
func expected(stretch int) (sum, ops int) {
	sum = stretch + size(stretch-2)
	ops = size(stretch) + size(stretch-2)
	rounds(stretch, func(depth, trees int) {
		sum += 2 * trees * depth
		ops += 2 * trees * size(depth)
	})
	return sum, ops
}

// ---- list_alloc ----

type link struct {
	value uint64
	next  *link
}

func (l *link) sum() (sum uint64) {
	for ; l != nil; l = l.next {
		sum += l.value
	}
	return sum
}

// listAlloc gives twice the sum of a list that it makes.
func listAlloc(links int) int {
	var list *link
	for value := uint64(0); value < uint64(links); value++ {
		list = &link{value, list}
	}
	sum := list.sum() + list.sum()
	runtime.KeepAlive(list)
	return int(sum)
}

// ---- the program ----

type question struct {
	number int
	answer chan<- int
}

// ask asks a new actor one question.
func ask(behaviour func(int) int, number int) (wall time.Duration, answer int) {
	questions := make(chan question)
	go func() {
		for asked := range questions {
			asked.answer <- behaviour(asked.number)
		}
	}()
	answers := make(chan int)
	began := time.Now()
	questions <- question{number, answers}
	answer = <-answers
	return time.Since(began), answer
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}

const usage = "usage: gcbench THREADS DEPTH | list_alloc THREADS LINKS | kv_store THREADS chunks|single ENTRIES OPERATIONS FORCED" +
	" | text_search THREADS SHARDS EVERY FORCED | edit_distance THREADS STRINGS LETTERS FORCED" +
	" | lru_cache PORT CAPACITY TITLES PAGE_BYTES SEED"

// number is a word of the command line.
func number(word string) int {
	number, wrong := strconv.Atoi(word)
	if wrong != nil {
		fail(usage)
	}
	return number
}

func main() {
	words := os.Args[1:]
	if len(words) < 3 {
		fail(usage)
	}
	bench := words[0]
	if bench == "lru_cache" && len(words) == 6 {
		lruCache(number(words[1]), number(words[2]), number(words[3]), number(words[4]), number(words[5]))
		return
	}
	runtime.GOMAXPROCS(number(words[1]))
	if bench == "kv_store" && len(words) == 6 {
		size := sized{words[2], number(words[3]), number(words[4]), number(words[5])}
		wall, sum, took := kvStore(size)
		fmt.Printf("%s %.6f %d %d %s\n", bench, wall.Seconds(), size.operations, sum, took)
		return
	}
	texts := map[string]func(one, other, forced int) (time.Duration, int, int, string){
		"text_search": textSearch, "edit_distance": editDistance,
	}
	if run := texts[bench]; run != nil && len(words) == 5 {
		wall, ops, sum, took := run(number(words[2]), number(words[3]), number(words[4]))
		fmt.Printf("%s %.6f %d %d %s\n", bench, wall.Seconds(), ops, sum, took)
		return
	}
	if len(words) != 3 {
		fail(usage)
	}
	asked := number(words[2])
	behaviour, right, ops := listAlloc, asked*(asked-1), asked
	switch bench {
	case "gcbench":
		behaviour = gcbench
		right, ops = expected(asked)
	case "list_alloc":
	default:
		fail(usage)
	}
	wall, got := ask(behaviour, asked)
	if got != right {
		fail("%s: wrong result: it must be %d and is %d", bench, right, got)
	}
	fmt.Printf("%s %.6f %d %d\n", bench, wall.Seconds(), ops, got)
}
