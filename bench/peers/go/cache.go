// lru_cache for Go: a map and a list under a mutex, behind net/http. Pages are those of examples/cache, to the byte.
package main

import (
	"container/list"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

type entry struct {
	title uint64
	html  []byte
}

// cache has the pages that were asked for last, the newest first.
type cache struct {
	lock     sync.Mutex
	capacity int
	entries  map[uint64]*list.Element
	order    *list.List
	pages    pages
}

// get gives a page, and whether it was there. What is not is rendered under the lock, so that nobody renders it twice.
func (c *cache) get(title uint64) (html []byte, found string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if at := c.entries[title]; at != nil {
		c.order.MoveToFront(at)
		return at.Value.(*entry).html, "hit"
	}
	if c.order.Len() >= c.capacity {
		oldest := c.order.Back()
		c.order.Remove(oldest)
		delete(c.entries, oldest.Value.(*entry).title)
	}
	html = c.pages.render(title)
	c.entries[title] = c.order.PushFront(&entry{title, html})
	return html, "miss"
}

// fill asks for titles until the cache is full, and for half as many again.
func (c *cache) fill(titles uint64) {
	popularity, by := popularityOf(titles), chance{c.pages.seed}
	full := min(c.capacity, int(titles))
	for c.order.Len() < full {
		c.get(popularity.draw(&by))
	}
	for range c.capacity / 2 {
		c.get(popularity.draw(&by))
	}
}

func (c *cache) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if request.URL.Path == "/_collect" {
		runtime.GC()
		return
	}
	title, wrong := strconv.ParseUint(request.URL.Path[1:], 10, 64)
	if wrong != nil {
		http.NotFound(answer, request)
		return
	}
	html, found := c.get(title)
	header := answer.Header()
	header["Content-Type"] = []string{"text/html; charset=utf-8"}
	header["X-Cache"] = []string{found}
	header["Content-Length"] = []string{strconv.Itoa(len(html))}
	answer.Write(html)
}

// lruCache serves until it is told to end, and says then how often everything was collected.
func lruCache(port, capacity, titles, pageBytes, seed int) {
	c := &cache{
		capacity: capacity,
		entries:  map[uint64]*list.Element{},
		order:    list.New(),
		pages:    pages{uint64(seed), float64(pageBytes)},
	}
	c.fill(uint64(titles))
	listener, wrong := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if wrong != nil {
		fail("lru_cache: %v", wrong)
	}
	ended, end := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer end()
	before := collections()
	go http.Serve(listener, c)
	fmt.Println("ready")
	<-ended.Done()
	fmt.Printf("full=%d\n", collections()-before)
	os.Exit(0)
}
