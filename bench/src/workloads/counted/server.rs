//! Servers with counted pointers: their throughput.
//!
//! Protocol: the server programs of the PACT paper, figure 8, are a JSON generator, which returns a
//! dictionary of random numbers, and a blog, which returns random posts, on two web frameworks for
//! Swift. Here are both pages, without the framework and without sockets: `serving` says what the
//! threads share and hand over. `server_json`: 20 numbers; `server_blog`: the title of one of 64
//! posts, and 24 lines. A request goes to the workers in turn, 16 are in flight to each.
//!
//! Timed: from the making of the site to the last answer. An operation is a request. Every pointer
//! must give the answers that plain strings give. `relative_time` and `relative_memory` are
//! relative to `Arc`, in the same rounds: the paper's normalised throughput is 1 / `relative_time`.

use super::pointers::{SERVERS, SHARED_WORDS};
use super::sides::{POINTER, add_relative};
use crate::prelude::*;
use crate::workloads::sides::{self, ROUNDS};
use std::fmt::Write;

pub(super) const REQUESTS: Param =
    Param::count("requests", 100_000, 200, "requests to all workers together");
pub(super) const NUMBERS: Param = Param::count("numbers", 20, 5, "numbers of a page of JSON");

const PARAMS: &[Param] = &[
    REQUESTS,
    NUMBERS,
    ROUNDS,
    Param::choice(POINTER, SHARED_WORDS, "which pointer"),
];

pub(in crate::workloads) const SERVER_JSON: Bench = Bench::new(
    Group::Programs,
    "server_json",
    "a server of JSON in several threads, for each counted pointer",
    PARAMS,
    |run| compare(run, &SERVER_JSON, Page::Json),
)
.child(|run| child(run, Page::Json));

pub(in crate::workloads) const SERVER_BLOG: Bench = Bench {
    name: "server_blog",
    about: "a server of a blog in several threads, for each counted pointer",
    run: |run| compare(run, &SERVER_BLOG, Page::Blog),
    child: Some(|run| child(run, Page::Blog)),
    ..SERVER_JSON
};

/// A page of the site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Page {
    Json,
    Blog,
}

/// Posts of the blog.
pub(super) const POSTS: u64 = 64;

impl Page {
    /// Lines of a post.
    pub(super) const LINES: u64 = 24;
}

/// The path of a page, without what is asked.
pub(super) fn path(page: Page) -> &'static str {
    match page {
        Page::Json => "/json",
        Page::Blog => "/blog",
    }
}

/// A random number of a request (the finalizer of `SplitMix64`), short enough to be printed fast.
pub(super) fn number(request: u64, at: u64) -> u64 {
    let mut state = (request << 8)
        .wrapping_add(at)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (state ^ (state >> 31)) % 1_000_000
}

/// A line of the page for a request.
pub(super) fn line(request: u64, at: u64) -> String {
    format!("line {at} for request {request}: {}", number(request, at))
}

/// A number for this text: its length, and its bytes in their order.
pub(super) fn digest(text: &str) -> u64 {
    let next = |sum: u64, byte: u8| sum.wrapping_mul(31).wrapping_add(byte.into());
    text.bytes().fold(text.len() as u64, next) >> 8
}

/// The sum over the answers to all requests, by plain strings.
pub(super) fn expected(run: &Run, page: Page) -> u64 {
    let answer = |request| {
        let mut body = String::new();
        let kind = match page {
            Page::Json => {
                let numbers = 0..run.count("numbers");
                let entry = |at| format!("\"number {at}\":{}", number(request, at));
                let entries: Vec<_> = numbers.map(entry).collect();
                body = format!("{{{}}}", entries.join(","));
                "application/json"
            }
            Page::Blog => {
                let post = number(request, 0) % POSTS;
                write!(body, "<h1>post {post}</h1>").expect("a string takes all");
                for at in 0..Page::LINES {
                    let line = line(request, at);
                    write!(body, "<p id=\"l{at}\">{line}</p>").expect("a string takes all");
                }
                "text/html"
            }
        };
        let length = body.len().to_string();
        let headers = [
            "content-type",
            kind,
            "content-length",
            &length,
            "connection",
            "keep-alive",
        ];
        let headers: usize = headers.iter().map(|it| it.len()).sum();
        let logged = format!("{}?{request}", path(page)).len();
        digest(&body) + (headers + logged) as u64
    };
    (0..run.count("requests"))
        .map(answer)
        .fold(0, u64::wrapping_add)
}

fn child(run: &Run, page: Page) -> Result<(), Failure> {
    let pointer = run.choice(POINTER);
    let named = SERVERS.iter().find(|(name, _)| *name == pointer);
    let (_, serve) = named.expect("the parent names one pointer");
    sides::print(sides::timed(|| serve(run, page)))
}

fn compare(run: &Run, bench: &Bench, page: Page) -> Result<Vec<Figures>, Failure> {
    let requests = run.count("requests");
    let sides = sides::chosen(run, POINTER, SHARED_WORDS[1..].iter().copied())
        .into_iter()
        .map(|name| vec![(POINTER, Value::Choice(name))])
        .collect();
    let expected = ("sum over the answers", expected(run, page));
    let mut rows = sides::compare(run, bench, sides, expected, |_| Ok(()))?;
    add_relative(&mut rows);
    for figures in &mut rows {
        figures.ops = requests;
        let rate = requests as f64 / figures.spent.wall.as_secs_f64();
        figures.add("requests_per_s", rate);
    }
    Ok(rows)
}
