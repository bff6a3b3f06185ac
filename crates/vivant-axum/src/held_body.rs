//! [`HeldBody`]: a shared value of an actor's heap as a body.

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use vivant::heap::Held;

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// A [`Held`] value with bytes, as a response or a body. The bytes are not copied: the body owns
/// the reference, and the socket reads from the actor's heap. The object cannot change meanwhile,
/// and is released when the last byte has been sent or the client has gone.
///
/// As a response, a `Held<str>` is `text/plain; charset=utf-8` and a `Held<[u8]>` is
/// `application/octet-stream`. For another content type, put the header before it; for another
/// type, make a [`Body`] or [`Bytes`] of it.
///
/// ```
/// use axum::http::header::CONTENT_TYPE;
/// use axum::extract::State;
/// use axum::response::{IntoResponse, Response};
/// use vivant::heap::Held;
/// use vivant::prelude::*;
/// use vivant_axum::{HeldBody, Problem};
///
/// #[derive(Actor)]
/// struct PageState<'gc> { html: Val<'gc, str> }
///
/// #[behaviours]
/// impl<'gc> PageState<'gc> {
///     #[start]
///     fn new(t: &Turn<'gc, Page>) -> Self { PageState { html: t.val_str("<p>rain</p>") } }
///
///     fn html(&self, t: &Turn<'gc, Page>) -> Held<str> { t.hold(self.html) }
/// }
///
/// async fn html(State(page): State<Address<Page>>) -> Result<Response, Problem> {
///     let html = page.html().ask().await?;
///     Ok(([(CONTENT_TYPE, "text/html; charset=utf-8")], HeldBody(html)).into_response())
/// }
/// ```
///
/// Costs one allocation for the body, and what dropping a [`Held`] costs.
#[derive(Clone, Debug)]
pub struct HeldBody<T: ?Sized>(pub Held<T>);

impl<T: ?Sized + AsRef<[u8]>> AsRef<[u8]> for HeldBody<T> {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl<T> From<HeldBody<T>> for Bytes
where
    T: ?Sized + AsRef<[u8]> + Send + Sync + 'static,
{
    fn from(body: HeldBody<T>) -> Bytes {
        Bytes::from_owner(body)
    }
}

impl<T> From<HeldBody<T>> for Body
where
    T: ?Sized + AsRef<[u8]> + Send + Sync + 'static,
{
    fn from(body: HeldBody<T>) -> Body {
        Body::from(Bytes::from(body))
    }
}

impl IntoResponse for HeldBody<str> {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, TEXT)], Body::from(self)).into_response()
    }
}

impl IntoResponse for HeldBody<[u8]> {
    fn into_response(self) -> Response {
        Bytes::from(self).into_response()
    }
}
