//! Streams into actors from outside of turns: `System::attach`.

use super::System;
use crate::actor::Worker;
use crate::edge::Attachment;
use crate::failures::Inside;
use futures_core::Stream;
use std::panic::Location;

impl System {
    /// Attaches a stream from outside of turns; see [`Turn::attach`](crate::Turn::attach).
    #[track_caller]
    pub fn attach<S: Stream + Send + 'static>(&self, stream: S) -> Attachment<S> {
        let outside = || Inside {
            actor: "outside".to_owned(),
            behaviour: "-",
        };
        let origin = Worker::inside().unwrap_or_else(outside);
        Attachment::new(stream, self.shared(), origin, Location::caller())
    }
}
