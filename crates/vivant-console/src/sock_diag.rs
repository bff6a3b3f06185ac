//! The user of a local TCP socket, requested from the Linux kernel: `sock_diag(7)`.
//!
//! The kernel finds the socket by its addresses, so the time does not depend on the number of
//! sockets. `/proc/net/tcp` names the users too, but it is a list of all sockets: any user could
//! make it so long that reading it for every client would block the console.

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};
use std::net::{IpAddr, SocketAddr};

/// `struct nlmsghdr`, then `struct inet_diag_req_v2`.
const REQUEST_BYTES: usize = 16 + 56;

/// `struct nlmsghdr`, then `struct inet_diag_msg`. The attributes behind them are not read.
const REPLY_BYTES: usize = 16 + 72;

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const IPPROTO_TCP: u8 = 6;

/// The user of the socket that is bound to `client` and connected to `server`. `None` if there is
/// no such socket, if its program has closed it, or if the kernel does not answer.
pub(crate) fn user_of(client: SocketAddr, server: SocketAddr) -> Option<u32> {
    let kernel = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    );
    let kernel = kernel.ok()?;
    send(&kernel, &request(client, server), SendFlags::empty()).ok()?;
    let mut reply = [0; REPLY_BYTES];
    // The kernel has replied before `send` returns.
    recv(&kernel, &mut reply[..], RecvFlags::DONTWAIT).ok()?;
    user_in(&reply, server)
}

fn request(client: SocketAddr, server: SocketAddr) -> Vec<u8> {
    let family = match client {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let mut bytes = Vec::with_capacity(REQUEST_BYTES);
    // The header: length, type, flags, sequence number, port.
    bytes.extend((REQUEST_BYTES as u32).to_ne_bytes());
    bytes.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes.extend(NLM_F_REQUEST.to_ne_bytes());
    bytes.extend([0; 8]);
    // Family, protocol, attributes wanted, padding, states: any.
    bytes.extend([family.as_raw() as u8, IPPROTO_TCP, 0, 0]);
    bytes.extend([u8::MAX; 4]);
    // The socket: ports, addresses, interface: any, cookie: any.
    bytes.extend(client.port().to_be_bytes());
    bytes.extend(server.port().to_be_bytes());
    bytes.extend(sixteen_bytes(client.ip()));
    bytes.extend(sixteen_bytes(server.ip()));
    bytes.extend([0; 4]);
    bytes.extend([u8::MAX; 8]);
    bytes
}

fn sixteen_bytes(ip: IpAddr) -> [u8; 16] {
    match ip {
        IpAddr::V6(ip) => ip.octets(),
        IpAddr::V4(ip) => {
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&ip.octets());
            bytes
        }
    }
}

fn user_in(reply: &[u8; REPLY_BYTES], server: SocketAddr) -> Option<u32> {
    let is_socket = u16::from_ne_bytes(bytes_at(reply, 4)?) == SOCK_DIAG_BY_FAMILY;
    // If there is no such connection, the kernel may name a socket that listens at `client`.
    let is_connected = u16::from_be_bytes(bytes_at(reply, 22)?) == server.port();
    let user = u32::from_ne_bytes(bytes_at(reply, 80)?);
    // A socket that its program has closed has no inode, and its user may read as 0.
    let is_open = u32::from_ne_bytes(bytes_at(reply, 84)?) != 0;
    (is_socket && is_connected && is_open).then_some(user)
}

fn bytes_at<const N: usize>(reply: &[u8], at: usize) -> Option<[u8; N]> {
    reply.get(at..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    fn the_user_stands_where_the_kernel_writes_it() {
        let server: SocketAddr = (Ipv4Addr::LOCALHOST, 4711).into();
        let mut reply = [0; REPLY_BYTES];
        reply[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
        reply[22..24].copy_from_slice(&4711_u16.to_be_bytes());
        reply[80..84].copy_from_slice(&1234_u32.to_ne_bytes());
        assert_eq!(user_in(&reply, server), None, "no inode");
        reply[84] = 1;
        assert_eq!(user_in(&reply, server), Some(1234));
        let elsewhere = (Ipv4Addr::LOCALHOST, 4712).into();
        assert_eq!(user_in(&reply, elsewhere), None);
    }

    #[test]
    fn a_listening_socket_is_no_client() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let nowhere = (Ipv4Addr::LOCALHOST, 1).into();
        assert_eq!(user_of(address, nowhere), None);
    }
}
