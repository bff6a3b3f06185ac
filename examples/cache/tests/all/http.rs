//! Every path over real HTTP, and the load generator against a server.

use axum::http::StatusCode;
use cache::audit::Audit;
use cache::cli::{CacheArguments, Instance, PageArguments, ServeArguments};
use cache::load::{self, Plan, Tally, Unexpected, found};
use cache::page::Pages;
use cache::popularity::Popularity;
use cache::stats::Stats;
use cache::store::{Found, Kind};
use example_load::{Answer, Ask, Caller};
use serde::de::DeserializeOwned;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::rc::Rc;
use std::time::Duration;

/// A served cache of 50 pages, and its client.
struct TestServer {
    instance: Instance,
    client: Caller,
}

impl TestServer {
    fn open(store: Kind, stripes: u16) -> TestServer {
        let arguments = ServeArguments {
            port: 0,
            store,
            cache: CacheArguments {
                capacity: 50,
                stripes,
                collector: vivant::Marking::Concurrent,
                growth: 2.0,
                workers: Some(2),
            },
            pages: PageArguments {
                titles: 200,
                page_bytes: 400,
                seed: 7,
            },
        };
        let instance = Instance::open(&arguments).expect("port 0 can always be had");
        let client = Caller::new(instance.address).unwrap();
        TestServer { instance, client }
    }

    fn get(&mut self, path: &str) -> Answer {
        let answer = self.client.ask(Ask::get(path));
        answer.unwrap_or_else(|error| panic!("{error}"))
    }

    fn read<T: DeserializeOwned>(&mut self, path: &str) -> T {
        serde_json::from_slice(&self.get(path).body).unwrap()
    }

    fn load(&mut self, plan: &Plan) -> Tally {
        let popularity = Rc::new(Popularity::new(200));
        load::run(plan, &popularity, self.instance.address, "").expect("it listens")
    }
}

const PAGES: Pages = Pages {
    seed: 7,
    mean_bytes: 400,
};

const PLAN: Plan = Plan {
    warm: Duration::from_millis(100),
    duration: Duration::from_millis(500),
    rate: 500.0,
    connections: 4,
    seed: 3,
    pages: PAGES,
};

fn every_path(store: Kind, stripes: u16) {
    let mut server = TestServer::open(store, stripes);
    assert_eq!(&server.get("/_alive").body[..], b"alive");
    // No draw gives this number, so the page was not requested before.
    for expected in [Found::Miss, Found::Hit, Found::Hit] {
        let answer = server.get("/1000");
        assert_eq!(
            (answer.status, found(&answer)),
            (StatusCode::OK, Some(expected))
        );
        assert!(PAGES.is_page(1000, &answer.body));
    }
    // Through all stripes: page 1000 is evicted from its own.
    for title in 2000..2200 {
        let answer = server.get(&format!("/{title}"));
        assert!(PAGES.is_page(title, &answer.body), "{title}");
        assert_eq!(found(&answer), Some(Found::Miss));
    }
    assert_eq!(found(&server.get("/1000")), Some(Found::Miss));
    for (path, status) in [
        ("/x", StatusCode::NOT_FOUND),
        ("/-1", StatusCode::NOT_FOUND),
        ("/99999999999999999999999", StatusCode::NOT_FOUND),
        ("/", StatusCode::NOT_FOUND),
        ("/1/2", StatusCode::NOT_FOUND),
        ("/_stop", StatusCode::METHOD_NOT_ALLOWED),
    ] {
        assert_eq!(server.get(path).status, status, "{path}");
    }
    let stats: Stats = server.read("/_stats");
    assert_eq!((stats.hits, stats.misses), (2, 202));
    assert_eq!((stats.store, stats.stripes), (store, stripes.into()));
    assert!(stats.entries <= stats.capacity && stats.capacity >= 50);
    assert_eq!((stats.turn.count, stats.waited.count), (204, 204));
    assert_eq!((stats.panics, stats.dead_letters), (0, 0));
    let audit: Audit = server.read("/_audit");
    assert!(audit.holds(), "{:?}", audit.findings);
    assert_eq!(audit.entries, stats.entries);
    assert_eq!(audit.page_bytes, stats.page_bytes);
    let stop = Ask::post("/_stop", "text/plain", String::new());
    let stopped = server.client.ask(stop).unwrap();
    assert_eq!(stopped.status, StatusCode::OK);
    server.instance.wait();
    server.instance.close().unwrap();
}

/// Sends the head of a request; returns the status line.
fn status_line(server: &TestServer, head: &str) -> String {
    let mut stream = TcpStream::connect(server.instance.address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_page_of_another_origin_cannot_stop_it() {
    let mut server = TestServer::open(Kind::Plain, 1);
    let address = server.instance.address;
    let stop = |host: &str, more: &str| {
        format!("POST /_stop HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n")
    };
    let own = address.to_string();
    for (host, more) in [
        (own.as_str(), "Origin: http://example.com\r\n"),
        (own.as_str(), "Origin: null\r\n"),
        (own.as_str(), "Sec-Fetch-Site: cross-site\r\n"),
        // By a name that leads here.
        ("example.com", "Origin: http://example.com\r\n"),
        ("example.com", ""),
    ] {
        let status = status_line(&server, &stop(host, more));
        assert_eq!(status, "HTTP/1.1 403 Forbidden", "{host} {more}");
    }
    assert_eq!(server.get("/_alive").status, StatusCode::OK);
    // Its own page may, and so may a program.
    let own_page = format!("Origin: http://{own}\r\nSec-Fetch-Site: same-origin\r\n");
    assert_eq!(
        status_line(&server, &stop(&own, &own_page)),
        "HTTP/1.1 200 OK"
    );
    server.instance.wait();
    server.instance.close().unwrap();
}

#[test]
fn every_path_of_a_graph() {
    every_path(Kind::Graph, 1);
}

#[test]
fn every_path_of_a_plain_cache() {
    every_path(Kind::Plain, 1);
}

#[test]
fn every_path_of_stripes() {
    every_path(Kind::Graph, 4);
}

#[test]
fn the_load_generator_meets_what_the_server_counts() {
    let mut server = TestServer::open(Kind::Graph, 1);
    let tally = server.load(&PLAN);
    assert_eq!(tally.unexpected_first, []);
    assert_eq!((tally.answers(), tally.unsent), (300, 0));
    // The requests of the warm-up are not measured; they are determined by their due times alone.
    let counts = [&tally.answered, &tally.sent].map(|it| it.count());
    assert_eq!(counts, [250, 250]);
    assert!(tally.hits > 0 && tally.misses > 0);
    assert!(tally.missed.count() <= tally.misses);
    let stats: Stats = server.read("/_stats");
    assert_eq!((stats.hits, stats.misses), (tally.hits, tally.misses));
}

/// Self-test: a server with other pages.
#[test]
fn canary_other_pages_are_noticed() {
    let mut server = TestServer::open(Kind::Graph, 1);
    let pages = Pages { seed: 8, ..PAGES };
    let tally = server.load(&Plan { pages, ..PLAN });
    assert_eq!((tally.answers(), tally.unexpected), (0, 300));
    let wrong = |it: &Unexpected| matches!(it, Unexpected::WrongPage { .. });
    assert!(tally.unexpected_first.iter().all(wrong));
}

/// A page that is being sent is the cache's own object; it does not change when its entry is
/// evicted.
#[test]
fn a_reply_is_no_copy_and_outlives_its_entry() {
    let server = TestServer::open(Kind::Graph, 1);
    let ask = |title: u64| {
        let stripe = server.instance.stripes.of(title).clone();
        server
            .instance
            .system
            .block_on(async move { stripe.get(title, Duration::ZERO).await })
            .expect("it lives")
            .html
    };
    let (one, same) = (ask(1000), ask(1000));
    let at = |html: &cache::store::Html| html.as_ref().as_ptr();
    assert_eq!(at(&one), at(&same));
    let body = axum::body::Bytes::from_owner(same);
    assert_eq!(body.as_ptr(), at(&one));
    (2000..2100).for_each(|title| drop(ask(title)));
    assert_ne!(at(&ask(1000)), at(&one));
    assert!(PAGES.is_page(1000, &body) && PAGES.is_page(1000, one.as_ref()));
}
