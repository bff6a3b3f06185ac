//! Shared values of an actor's heap as bodies.

use crate::server::TestServer;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use vivant::heap::Held;
use vivant::prelude::*;
use vivant_axum::{HeldBody, Problem};

#[derive(Actor)]
struct ShelfState<'gc> {
    text: Val<'gc, str>,
    bytes: Val<'gc, [u8]>,
}

#[behaviours]
impl<'gc> ShelfState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Shelf>) -> Self {
        ShelfState {
            text: t.val_str("rain"),
            bytes: t.val_slice([1, 2, 3]),
        }
    }

    fn text(&self, t: &Turn<'gc, Shelf>) -> Held<str> {
        t.hold(self.text)
    }

    fn bytes(&self, t: &Turn<'gc, Shelf>) -> Held<[u8]> {
        t.hold(self.bytes)
    }
}

type Shelves = State<Address<Shelf>>;

async fn text(State(shelf): Shelves) -> Result<HeldBody<str>, Problem> {
    Ok(HeldBody(shelf.text().ask().await?))
}

async fn bytes(State(shelf): Shelves) -> Result<HeldBody<[u8]>, Problem> {
    Ok(HeldBody(shelf.bytes().ask().await?))
}

async fn html(State(shelf): Shelves) -> Result<Response, Problem> {
    let text = HeldBody(shelf.text().ask().await?);
    Ok(([(CONTENT_TYPE, "text/html")], Body::from(text)).into_response())
}

async fn titled(State(shelf): Shelves) -> Result<Response, Problem> {
    let text = HeldBody(shelf.text().ask().await?);
    Ok(([(CONTENT_TYPE, "text/html")], text).into_response())
}

#[tokio::test]
async fn they_have_the_value_and_a_content_type() {
    let system = System::builder().workers(1).build();
    let app = Router::new()
        .route("/text", get(text))
        .route("/bytes", get(bytes))
        .route("/html", get(html))
        .route("/titled", get(titled))
        .with_state(Shelf::spawn(&system));
    let server = TestServer::start(app, &system).await;
    for (path, content_type, body) in [
        ("/text", "text/plain; charset=utf-8", "rain"),
        ("/bytes", "application/octet-stream", "\u{1}\u{2}\u{3}"),
        ("/html", "text/html", "rain"),
        ("/titled", "text/html", "rain"),
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.header("content-type"), Some(content_type), "{path}");
        assert_eq!(answer.body, body, "{path}");
    }
}

#[tokio::test]
async fn they_are_no_copies() {
    let system = System::builder().workers(1).build();
    let shelf = Shelf::spawn(&system);
    let held = shelf.text().ask().await.unwrap();
    let bytes = Bytes::from(HeldBody(held.clone()));
    assert_eq!(bytes.as_ptr(), held.as_ptr());
    let response = HeldBody(held.clone()).into_response();
    let sent = axum::body::to_bytes(response.into_body(), usize::MAX).await;
    assert_eq!(sent.unwrap().as_ptr(), held.as_ptr());
}
