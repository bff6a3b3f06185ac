//! [`OwnHost`]: requests that name this machine as their host.

use super::Problem;
use axum::extract::FromRequestParts;
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use std::net::IpAddr;

/// Proof that a request names the loopback interface as its host. A page elsewhere can have a name
/// of its own that leads here (DNS rebinding), and its requests have that name as their host.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnHost(());

impl<S: Sync> FromRequestParts<S> for OwnHost {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<OwnHost, Problem> {
        let host = parts.headers.get(HOST).and_then(|it| it.to_str().ok());
        let own = host.is_some_and(|host| host.parse().is_ok_and(|it| is_own(&it)));
        let foreign = Problem::Foreign("only for http://localhost and http://127.0.0.1");
        own.then_some(OwnHost(())).ok_or(foreign)
    }
}

fn is_own(authority: &Authority) -> bool {
    let host = authority.host();
    let address: Result<IpAddr, _> = host.trim_matches(['[', ']']).parse();
    host == "localhost" || address.is_ok_and(|it| it.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_hosts_are_those_of_the_loopback_interface() {
        for (host, own) in [
            ("localhost", true),
            ("localhost:3000", true),
            ("127.0.0.1:3000", true),
            ("[::1]:3000", true),
            ("example.com:3000", false),
            ("localhost.example.com", false),
            ("127.0.0.1.example.com", false),
            ("192.168.0.1", false),
        ] {
            assert_eq!(is_own(&host.parse().unwrap()), own, "{host}");
        }
    }
}
