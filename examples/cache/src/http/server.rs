//! The server: a socket on the loopback interface, and the cache behind it.

use super::{Service, router};
use axum::serve::ListenerExt;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;

/// A server that listens. It does so on 127.0.0.1 only: there is no encryption, and anybody may stop it.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

/// A port that could not be had.
#[derive(Debug)]
pub struct BindError {
    port: u16,
    error: io::Error,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BindError { port, error } = self;
        match error.kind() {
            io::ErrorKind::AddrInUse => write!(
                f,
                "port {port} is in use: stop the program that listens there, or choose another port with --port \
                 (0 takes any that is free)"
            ),
            io::ErrorKind::PermissionDenied => write!(
                f,
                "port {port} needs rights that this program does not have: choose one above 1023 with --port"
            ),
            _ => write!(f, "cannot listen on port {port}: {error}"),
        }
    }
}

impl std::error::Error for BindError {}

impl Server {
    /// Listens on a port of the loopback interface; on port 0, on any that is free.
    ///
    /// # Errors
    ///
    /// The port is in use, or may not be used.
    pub async fn bind(port: u16) -> Result<Server, BindError> {
        let bound = async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
            let address = listener.local_addr()?;
            Ok(Server { listener, address })
        };
        bound.await.map_err(|error| BindError { port, error })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `end` is ready, and then until the requests that have begun are answered.
    ///
    /// # Errors
    ///
    /// The socket failed.
    pub async fn serve(
        self,
        service: Service,
        end: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        // An answer must not wait for the acknowledgement of the one before.
        let listener = self
            .listener
            .tap_io(|stream| drop(stream.set_nodelay(true)));
        axum::serve(listener, router(service))
            .with_graceful_shutdown(end)
            .await
    }
}
