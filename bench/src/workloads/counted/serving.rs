//! The server programs, for the `Ptr` of the enclosing module, which threads can share.
//!
//! One thread accepts: it makes a connection and a request with its path, and sends them to a
//! worker. It keeps the connection and the path, for its log, until the answer comes back, and
//! drops the answer. A few requests are in flight. The site (routes, names of headers, titles of
//! posts) was made by the accepting thread, and all workers share it. A worker makes the page out
//! of fresh objects and of those of the site, and drops the request.

use super::Ptr;
use crate::run::Run;
use crate::workloads::counted::server::{POSTS, Page, digest, line, number, path};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// Requests in flight to a worker.
const WINDOW: u64 = 16;

struct Connection {
    number: u64,
}

struct Request {
    connection: Ptr<Connection>,
    path: Ptr<str>,
}

/// What the accepting thread keeps of a request.
struct Open {
    _connection: Ptr<Connection>,
    path: Ptr<str>,
}

struct Answer {
    connection: Ptr<Connection>,
    headers: Vec<(Ptr<str>, Ptr<str>)>,
    body: Ptr<str>,
}

struct Post {
    title: Ptr<str>,
}

/// Shared by all.
struct Site {
    routes: HashMap<String, Ptr<Page>>,
    names: [Ptr<str>; 3],
    html: Ptr<str>,
    posts: Vec<Ptr<Post>>,
}

impl Site {
    fn new() -> Site {
        let pages = [Page::Json, Page::Blog];
        let routes = pages.map(|page| (path(page).to_owned(), Ptr::new(page)));
        let post = |post| {
            let title = Ptr::from(format!("post {post}").as_str());
            Ptr::new(Post { title })
        };
        Site {
            routes: routes.into_iter().collect(),
            names: ["content-type", "content-length", "connection"].map(Ptr::from),
            html: Ptr::from("text/html"),
            posts: (0..POSTS).map(post).collect(),
        }
    }

    fn answer(&self, request: Ptr<Request>, numbers: u64) -> Ptr<Answer> {
        let connection = request.connection.clone();
        // The page of a path is known by its first part.
        let route = request.path.split('?').next().unwrap_or_default();
        let page = self.routes.get(route).cloned();
        let (kind, body) = match page.as_deref() {
            Some(Page::Json) => (
                Ptr::from("application/json"),
                dictionary(&connection, numbers),
            ),
            _ => (self.html.clone(), self.post(&connection)),
        };
        let values = [
            kind,
            Ptr::from(body.len().to_string().as_str()),
            Ptr::from("keep-alive"),
        ];
        Ptr::new(Answer {
            connection,
            headers: self.names.iter().cloned().zip(values).collect(),
            body: Ptr::from(body.as_str()),
        })
    }

    /// A blog's page: the title of a post, and lines that were made for the request.
    fn post(&self, connection: &Ptr<Connection>) -> String {
        let post = self.posts[(number(connection.number, 0) % POSTS) as usize].clone();
        let line = |at| {
            let anchor: Ptr<str> = Ptr::from(format!("l{at}").as_str());
            let line: Ptr<str> = Ptr::from(line(connection.number, at).as_str());
            (anchor, line)
        };
        let lines: Vec<_> = (0..Page::LINES).map(line).collect();
        let mut body = format!("<h1>{}</h1>", &*post.title.clone());
        // The writer takes each part of the page by itself.
        for (anchor, line) in &lines {
            let (anchor, line) = (anchor.clone(), line.clone());
            write!(body, "<p id=\"{}\">{}</p>", &*anchor, &*line).expect("a string takes all");
        }
        body
    }
}

/// Random numbers by name.
fn dictionary(connection: &Ptr<Connection>, numbers: u64) -> String {
    let entry = |at| {
        let name: Ptr<str> = Ptr::from(format!("number {at}").as_str());
        (name, Ptr::new(number(connection.number, at)))
    };
    let entries: Vec<(Ptr<str>, Ptr<u64>)> = (0..numbers).map(entry).collect();
    let mut body = String::from("{");
    // The writer takes each entry by itself.
    for (at, (name, value)) in entries.iter().enumerate() {
        let (name, value) = (name.clone(), value.clone());
        let comma = if at == 0 { "" } else { "," };
        write!(body, "{comma}\"{}\":{}", &*name, *value).expect("a string takes all");
    }
    body.push('}');
    body
}

/// A worker: until the accepting thread sends no more.
fn work(
    site: &Ptr<Site>,
    numbers: u64,
    requests: Receiver<Ptr<Request>>,
    answers: &Sender<Ptr<Answer>>,
) {
    for request in requests {
        let site = site.clone();
        // The accepting thread is there until all answers have come.
        let _ = answers.send(site.answer(request, numbers));
    }
}

/// Serves, and returns the sum over the answers.
pub(in crate::workloads::counted) fn run(run: &Run, page: Page) -> u64 {
    let (requests, numbers) = (run.count("requests"), run.count("numbers"));
    let site = Ptr::new(Site::new());
    let (done, answers) = mpsc::channel::<Ptr<Answer>>();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..run.threads)
            .map(|_| {
                let (send, receive) = mpsc::channel();
                let (site, done) = (site.clone(), done.clone());
                scope.spawn(move || work(&site, numbers, receive, &done));
                send
            })
            .collect();
        let mut open = HashMap::new();
        let accept = |number: u64, open: &mut HashMap<u64, Open>| {
            let connection = Ptr::new(Connection { number });
            let path: Ptr<str> = Ptr::from(format!("{}?{number}", path(page)).as_str());
            let kept = Open {
                _connection: connection.clone(),
                path: path.clone(),
            };
            open.insert(number, kept);
            let worker = &workers[(number % workers.len() as u64) as usize];
            // Workers are there as long as `workers`.
            let _ = worker.send(Ptr::new(Request { connection, path }));
        };
        let first = requests.min(WINDOW * run.threads as u64);
        (0..first).for_each(|number| accept(number, &mut open));
        let (mut next, mut sum) = (first, 0_u64);
        for answer in answers.iter().take(requests as usize) {
            let headers: usize = answer.headers.iter().map(|(a, b)| a.len() + b.len()).sum();
            let logged = open.remove(&answer.connection.number);
            let logged = logged.map_or(0, |open| open.path.len());
            sum = sum.wrapping_add(digest(&answer.body) + (headers + logged) as u64);
            if next < requests {
                accept(next, &mut open);
                next += 1;
            }
        }
        sum.wrapping_add(open.len() as u64)
    })
}
