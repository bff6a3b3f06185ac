//! Extractors of forms, JSON and paths that answer errors with a [`Problem`].

use super::Problem;
use axum::extract::{FromRequest, FromRequestParts};

/// A form in the body.
#[derive(Debug, FromRequest)]
#[from_request(via(axum::Form), rejection(Problem))]
pub struct Form<T>(pub T);

/// JSON in the body.
#[derive(Debug, FromRequest)]
#[from_request(via(axum::Json), rejection(Problem))]
pub struct Json<T>(pub T);

/// Parameters after the question mark.
#[derive(Debug, FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Problem))]
pub struct Query<T>(pub T);

/// Parts of the path.
#[derive(Debug, FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Problem))]
pub struct Path<T>(pub T);
