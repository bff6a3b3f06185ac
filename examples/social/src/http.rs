//! The routes.
//!
//! | request | answer |
//! |---|---|
//! | `POST /people`, the name as the body | 201, the number |
//! | `GET /people/1` | the profile |
//! | `DELETE /people/1` | 204 |
//! | `PUT /people/1/follows/2`, `DELETE` | 204 |
//! | `POST /people/1/posts`, the text as the body | the number of feeds that have it now |
//! | `GET /people/1/feed` | lines of JSON, the newest first |
//! | `GET /people/1/suggestions` | people to follow, `"complete": false` if a shard was slow |
//! | `GET /popular` | the people with the most followers |
//! | `GET /census` | sums over all shards |
//!
//! A request that a shard refuses is 404 or 422; one without an answer is 503 or 504, by
//! [`Problem`].

use crate::network::Network;
use crate::person::PersonId;
use crate::refusal::Refusal;
use crate::reply::{Census, Profile, Suggestions};
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use futures_util::stream;
use std::convert::Infallible;
use std::time::Duration;
use vivant::AskError;
use vivant_axum::{AskLimit, HeldBody, Problem};

/// Limit of a request: after it the answer is 504.
const LIMIT: Duration = Duration::from_secs(3);
/// Limit of a name and of a post, in bytes.
const BODY_LIMIT: usize = 4096;

/// All routes.
pub fn router(network: Network) -> Router {
    Router::new()
        .route("/people", post(join))
        .route("/people/{id}", get(profile).delete(remove))
        .route("/people/{id}/follows/{other}", put(follow).delete(unfollow))
        .route("/people/{id}/posts", post(write))
        .route("/people/{id}/feed", get(feed))
        .route("/people/{id}/suggestions", get(suggestions))
        .route("/popular", get(popular))
        .route("/census", get(census))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(AskLimit::new(LIMIT))
        .with_state(network)
}

/// An answer that is no success.
#[derive(Debug)]
struct Refused(Refusal);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = match self.0 {
            Refusal::Unknown(_) => StatusCode::NOT_FOUND,
            Refusal::Oneself(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Refusal::NoAnswer(error) => return Problem::from(error).into_response(),
        };
        (status, format!("{}\n", self.0)).into_response()
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        Refused(refusal)
    }
}

impl From<AskError> for Refused {
    fn from(error: AskError) -> Refused {
        Refused(error.into())
    }
}

async fn join(
    State(network): State<Network>,
    name: String,
) -> Result<(StatusCode, Json<PersonId>), Refused> {
    let id = network.any().join(name).ask().await?;
    Ok((StatusCode::CREATED, Json(id)))
}

async fn profile(
    State(network): State<Network>,
    Path(id): Path<PersonId>,
) -> Result<Json<Profile>, Refused> {
    Ok(Json(network.of(id).profile(id).ask().await??))
}

async fn remove(
    State(network): State<Network>,
    Path(id): Path<PersonId>,
) -> Result<StatusCode, Refused> {
    network.of(id).remove(id).ask().await??;
    Ok(StatusCode::NO_CONTENT)
}

async fn follow(
    State(network): State<Network>,
    Path((id, other)): Path<(PersonId, PersonId)>,
) -> Result<StatusCode, Refused> {
    network.of(id).follow(id, other).ask().await??;
    Ok(StatusCode::NO_CONTENT)
}

async fn unfollow(
    State(network): State<Network>,
    Path((id, other)): Path<(PersonId, PersonId)>,
) -> Result<StatusCode, Refused> {
    network.of(id).unfollow(id, other).ask().await??;
    Ok(StatusCode::NO_CONTENT)
}

async fn write(
    State(network): State<Network>,
    Path(id): Path<PersonId>,
    text: String,
) -> Result<Json<usize>, Refused> {
    Ok(Json(network.of(id).post(id, text).ask().await??))
}

/// The body is made of the posts in the heaps of their authors' shards: none is copied before the
/// socket takes it.
async fn feed(
    State(network): State<Network>,
    Path(id): Path<PersonId>,
) -> Result<Response, Refused> {
    let posts = network.of(id).feed(id).ask().await??;
    let lines = posts
        .into_iter()
        .map(|post| Ok::<_, Infallible>(Bytes::from(HeldBody(post))));
    let body = Body::from_stream(stream::iter(lines));
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

async fn suggestions(
    State(network): State<Network>,
    Path(id): Path<PersonId>,
) -> Result<Json<Suggestions>, Refused> {
    Ok(Json(network.of(id).suggest(id).ask().await??))
}

async fn popular(State(network): State<Network>) -> Result<Json<Vec<Profile>>, Refused> {
    Ok(Json(network.any().popular().ask().await?))
}

async fn census(State(network): State<Network>) -> Result<Json<Census>, Refused> {
    Ok(Json(network.any().census().ask().await?))
}
