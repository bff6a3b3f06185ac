//! `/customer`: profiles.

use super::{Json, Path, Problem, Service, Session};
use crate::customer::{Profile, ProfileUpdate};
use axum::extract::State;

pub(super) async fn view(
    State(service): State<Service>,
    Session(session): Session,
    Path(user): Path<String>,
) -> Result<axum::Json<Profile>, Problem> {
    let desk = service.airline().desk_of(session);
    let profile = service.request(desk.profile(session, user)).await?;
    Ok(axum::Json(profile))
}

pub(super) async fn update(
    State(service): State<Service>,
    Session(session): Session,
    Path(user): Path<String>,
    Json(update): Json<ProfileUpdate>,
) -> Result<axum::Json<Profile>, Problem> {
    let desk = service.airline().desk_of(session);
    let profile = service.request(desk.update(session, user, update)).await?;
    Ok(axum::Json(profile))
}
