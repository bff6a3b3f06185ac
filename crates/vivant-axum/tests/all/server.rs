//! A server under test.

use crate::client::{Answer, Client};
use axum::Router;
use std::io;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use vivant::System;
use vivant_axum::{Ended, Serve, serve};

/// A server that serves until it is told to end.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    end: oneshot::Sender<()>,
    served: JoinHandle<io::Result<Ended>>,
}

impl TestServer {
    pub(crate) async fn start(app: Router, system: &System) -> TestServer {
        TestServer::configured(app, system, |server| server).await
    }

    pub(crate) async fn configured(
        app: Router,
        system: &System,
        configure: impl FnOnce(Serve<TcpListener>) -> Serve<TcpListener>,
    ) -> TestServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (end, ended) = oneshot::channel();
        let server = serve(listener, app, system).until(async { drop(ended.await) });
        let served = tokio::spawn(configure(server).into_future());
        TestServer {
            address,
            end,
            served,
        }
    }

    pub(crate) async fn client(&self) -> Client {
        Client::connect(self.address).await
    }

    /// The answer to a request of a client of its own.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.client().await.get(path).await
    }

    /// Begins the end.
    pub(crate) fn end(self) -> JoinHandle<io::Result<Ended>> {
        drop(self.end);
        self.served
    }

    /// Ends it, and waits for that.
    pub(crate) async fn ended(self) -> Ended {
        self.end().await.unwrap().unwrap()
    }
}
