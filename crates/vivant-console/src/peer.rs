//! Peers: the origins of connections, among which places are shared.
//!
//! A peer is a user of this machine. It is not an address, because a local client may choose any
//! address of the loopback device, 127.0.0.1 to 127.255.255.254, for each connection anew.

use std::net::TcpStream;

/// The origin of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// The user with this number.
    User(u32),
    /// All clients of which the user is not known. On systems other than Linux these are all
    /// clients, and on Linux those that have closed already.
    Unknown,
}

/// The peer of the client at the other end of `stream`.
pub(crate) fn peer_of(stream: &TcpStream) -> Peer {
    user_of(stream).map_or(Peer::Unknown, Peer::User)
}

#[cfg(target_os = "linux")]
fn user_of(stream: &TcpStream) -> Option<u32> {
    crate::sock_diag::user_of(stream.peer_addr().ok()?, stream.local_addr().ok()?)
}

#[cfg(not(target_os = "linux"))]
fn user_of(_: &TcpStream) -> Option<u32> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs;
    use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
    use std::os::unix::fs::MetadataExt;

    fn this_user() -> Peer {
        Peer::User(fs::metadata("/proc/self").unwrap().uid())
    }

    /// Both ends of a connection to `listener`: the client's, the server's.
    fn connection(listener: &TcpListener, to: SocketAddr) -> (TcpStream, TcpStream) {
        let client = TcpStream::connect(to).unwrap();
        (client, listener.accept().unwrap().0)
    }

    #[test]
    fn the_user_of_a_client_is_found() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (client, server) = connection(&listener, address);
        assert_eq!(peer_of(&server), this_user());
        drop(client);
        assert_eq!(peer_of(&server), Peer::Unknown, "closed");
    }

    /// A machine without IPv6 has nothing to test here.
    #[test]
    fn the_user_of_a_client_with_an_ipv6_socket_is_found() {
        let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) else {
            return;
        };
        let address = listener.local_addr().unwrap();
        let (_client, server) = connection(&listener, address);
        assert_eq!(peer_of(&server), this_user());

        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mapped = Ipv4Addr::LOCALHOST.to_ipv6_mapped();
        let address = (mapped, listener.local_addr().unwrap().port()).into();
        let (_client, server) = connection(&listener, address);
        assert_eq!(peer_of(&server), this_user(), "an IPv4-mapped address");
    }
}
