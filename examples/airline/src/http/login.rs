//! `/login`: sessions begin and end.

use super::{Form, Problem, Service, Session};
use crate::id::Id;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::SET_COOKIE;
use axum::response::IntoResponse;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct Login {
    login: String,
    password: String,
}

pub(super) async fn log_in(
    State(service): State<Service>,
    Form(Login { login, password }): Form<Login>,
) -> Result<impl IntoResponse, Problem> {
    let desk = service.airline().desk_for(&login);
    let secret = Id::secret().map_err(|error| {
        let reason = format!("the service has no random numbers: {error}");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, reason)
    })?;
    let log_in = desk.log_in(login, password, secret);
    let session = service.request(log_in).await?;
    Ok(([(SET_COOKIE, Session(session).cookie())], "logged in"))
}

/// Without a session it does nothing, as in the original.
pub(super) async fn log_out(
    State(service): State<Service>,
    session: Option<Session>,
) -> Result<impl IntoResponse, Problem> {
    if let Some(Session(session)) = session {
        let desk = service.airline().desk_of(session);
        service.ask(desk.log_out(session)).await?;
    }
    Ok(([(SET_COOKIE, Session::cookie_of_none())], "logged out"))
}
