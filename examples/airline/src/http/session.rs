//! The session cookie.

use super::Problem;
use crate::desk::Refusal;
use crate::id::Id;
use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header::{COOKIE, HeaderMap};
use axum::http::request::Parts;

const NAME: &str = "sessionid";

/// The session that a request names. Whether there is one, only its desk knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session(pub Id);

impl Session {
    /// The header that gives a browser its session. Scripts cannot read it, and other sites cannot
    /// use it for posts.
    pub fn cookie(self) -> String {
        format!("{NAME}={}; Path=/; HttpOnly; SameSite=Lax", self.0)
    }

    /// The header that takes it back.
    pub fn cookie_of_none() -> String {
        format!("{NAME}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0")
    }

    fn in_headers(headers: &HeaderMap) -> Option<Session> {
        let cookies = headers.get_all(COOKIE).iter();
        cookies
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().strip_prefix(NAME)?.strip_prefix('='))
            .find_map(|id| id.parse().ok().map(Session))
    }
}

impl<S: Sync> FromRequestParts<S> for Session {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Session, Problem> {
        Session::in_headers(&parts.headers).ok_or_else(|| Refusal::NoSession.into())
    }
}

impl<S: Sync> OptionalFromRequestParts<S> for Session {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Session>, Problem> {
        Ok(Session::in_headers(&parts.headers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_is_found_among_other_cookies() {
        let id = Id::drawn(|| 5);
        let found = |cookies: &[&str]| {
            let mut headers = HeaderMap::new();
            for cookie in cookies {
                headers.append(COOKIE, cookie.parse().unwrap());
            }
            Session::in_headers(&headers)
        };
        let own = format!("sessionid={id}");
        assert_eq!(found(&[&own]), Some(Session(id)));
        assert_eq!(found(&[&format!("a=b;{own}; c=d")]), Some(Session(id)));
        assert_eq!(found(&["a=b", &own]), Some(Session(id)));
        assert_eq!(found(&["sessionid=", "sessionid"]), None);
        assert_eq!(found(&[&format!("x{own}"), "sessionid=none"]), None);
        assert_eq!(found(&[]), None);
    }
}
