//! The routes.
//!
//! | request | answer |
//! |---|---|
//! | `GET /documents` | the names of all documents, with the current version as `ETag` |
//! | `GET /documents/a` | the text; of an older version with `?version=3` or `?name=draft` |
//! | `POST /commits`, a [`Commit`] as JSON | 201 and the new version; 409 if a document has changed |
//! | `GET /versions` | the numbers of the versions that are there |
//! | `PUT /names/draft`, a number as JSON | 204: that version is kept |

use crate::commit::{Commit, Refusal};
use crate::store::Store;
use crate::version::Version;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde::Deserialize;
use std::time::Duration;
use vivant::{Address, AskError, Parcel};
use vivant_axum::{AskLimit, Problem};

/// Limit of a request: after it the answer is 504.
const LIMIT: Duration = Duration::from_secs(5);

/// All routes.
pub fn router(store: Address<Store>) -> Router {
    Router::new()
        .route("/documents", get(documents))
        .route("/documents/{name}", get(document))
        .route("/commits", post(commit))
        .route("/versions", get(versions))
        .route("/names/{name}", put(name))
        .layer(AskLimit::new(LIMIT))
        .with_state(store)
}

/// An answer that is no success.
#[derive(Debug)]
enum Refused {
    NotFound,
    Commit(Refusal),
    NoAnswer(AskError),
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let refusal = match self {
            Refused::NotFound => return StatusCode::NOT_FOUND.into_response(),
            Refused::NoAnswer(error) | Refused::Commit(Refusal::NoAnswer(error)) => {
                return Problem::from(error).into_response();
            }
            Refused::Commit(refusal) => refusal,
        };
        let status = match refusal {
            Refusal::Conflict { .. } => StatusCode::CONFLICT,
            Refusal::NotWritten(_) => StatusCode::INSUFFICIENT_STORAGE,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        (status, format!("{refusal}\n")).into_response()
    }
}

impl From<AskError> for Refused {
    fn from(error: AskError) -> Refused {
        Refused::NoAnswer(error)
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        Refused::Commit(refusal)
    }
}

async fn documents(State(store): State<Address<Store>>) -> Result<Response, Refused> {
    let head = store.head().ask().await?;
    Ok(head.look(|head| {
        let names: Vec<&str> = head.documents.keys().map(|name| &**name).collect();
        ([(header::ETAG, etag(head))], Json(names)).into_response()
    }))
}

/// Which version is meant; the current one, if neither is there.
#[derive(Deserialize)]
struct Which {
    version: Option<u64>,
    name: Option<String>,
}

async fn document(
    State(store): State<Address<Store>>,
    Path(name): Path<String>,
    Query(which): Query<Which>,
) -> Result<Response, Refused> {
    match which {
        Which {
            version: Some(number),
            ..
        } => older(&store.version(number).ask().await?, &name),
        Which {
            name: Some(kept), ..
        } => older(&store.named(kept).ask().await?, &name),
        Which { .. } => store.head().ask().await?.look(|head| text(head, &name)),
    }
}

fn older(version: &Parcel<Option<Version<'static>>>, name: &str) -> Result<Response, Refused> {
    version.look(|it| {
        it.as_ref()
            .ok_or(Refused::NotFound)
            .and_then(|it| text(it, name))
    })
}

/// The only copy: from the rope into the body.
fn text(version: &Version<'_>, name: &str) -> Result<Response, Refused> {
    let document = version.documents.get(name).ok_or(Refused::NotFound)?;
    let text: String = document.text.chunks().collect();
    Ok(([(header::ETAG, etag(version))], text).into_response())
}

fn etag(version: &Version<'_>) -> String {
    format!("\"{}\"", version.number)
}

async fn commit(
    State(store): State<Address<Store>>,
    Json(commit): Json<Commit>,
) -> Result<(StatusCode, Json<u64>), Refused> {
    let number = store.commit(commit).ask().await??;
    Ok((StatusCode::CREATED, Json(number)))
}

async fn versions(State(store): State<Address<Store>>) -> Result<Json<Vec<u64>>, Refused> {
    Ok(Json(store.versions().ask().await?))
}

async fn name(
    State(store): State<Address<Store>>,
    Path(name): Path<String>,
    Json(number): Json<u64>,
) -> Result<StatusCode, Refused> {
    match store.name(name, number).ask().await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Refused::NotFound),
    }
}
