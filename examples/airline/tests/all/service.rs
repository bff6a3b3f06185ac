//! The server in states that a running airline is seldom in: empty, and too slow.

use airline::airline::Airline;
use airline::http::{Service, router};
use airline::manager::Settings;
use axum::http::StatusCode;
use example_load::{Ask, Client, Server};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use vivant::prelude::*;

/// Serves this airline, and sends one request to it.
async fn status(system: &System, service: Service, ask: Ask) -> (StatusCode, String) {
    let server = Server::bind(0).unwrap();
    let mut client = Client::new(server.address());
    let serving =
        tokio::spawn(server.serve(router(service), system.clone(), std::future::pending()));
    let answer = client.send(ask).await.unwrap();
    serving.abort();
    (answer.status, answer.text())
}

fn login() -> Ask {
    let form = [("login", "uid0@email.com"), ("password", "password")];
    Ask::form("/rest/api/login", &form)
}

#[tokio::test]
async fn an_airline_without_data_says_how_to_load_them() {
    let system = System::builder().workers(1).build();
    let airline = Airline::open(&system, Settings::default());
    let (status, text) = status(&system, Service::new(airline), login()).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(text.contains("/rest/api/loader/load"), "{text}");
}

/// Holds the only worker up.
#[derive(Actor)]
struct Hog;

#[behaviours]
impl Hog {
    fn hold(&mut self, until: std::sync::mpsc::Receiver<()>) {
        let _released = until.recv();
    }
}

#[tokio::test]
async fn an_airline_that_is_too_slow_is_a_timeout() {
    // The system would add a worker to let others pass, but not for an hour.
    let system = System::builder()
        .workers(1)
        .turn_limit(Duration::from_secs(3600))
        .build();
    let airline = Airline::open(&system, Settings::default());
    let (release, until) = std::sync::mpsc::channel();
    let hog = system.spawn(Hog);
    hog.hold(until).send();
    let service = Service::new(airline).patience(Duration::from_millis(20));
    let (status, text) = status(&system, service, login()).await;
    drop(release);
    assert_eq!(status, StatusCode::GATEWAY_TIMEOUT);
    assert!(text.contains("no answer came in time"), "{text}");
    assert!(text.contains("may still have an effect"), "{text}");
}

/// A client that announces a body and does not send it.
#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let system = System::builder().workers(1).build();
    let airline = Airline::open(&system, Settings::default());
    let service = Service::new(airline).with_body_patience(Duration::from_millis(20));
    let server = Server::bind(0).unwrap();
    let address = server.address();
    tokio::spawn(server.serve(router(service), system, std::future::pending()));
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = "POST /rest/api/login HTTP/1.1\r\nHost: here\r\nContent-Length: 40\r\n\
        Content-Type: application/x-www-form-urlencoded\r\n\r\nlogin=";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

#[test]
fn a_port_in_use_says_what_to_do() {
    let first = Server::bind(0).unwrap();
    let port = first.address().port();
    let error = Server::bind(port).unwrap_err().to_string();
    assert!(error.contains(&format!("port {port} is in use")), "{error}");
    assert!(error.contains("--port"), "{error}");
    assert!(first.address().ip().is_loopback());
}
