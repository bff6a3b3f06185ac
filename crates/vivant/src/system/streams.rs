//! Streams into actors from outside of turns: `System::attach`.

use super::System;
use crate::actor::Worker;
use crate::edge::Attachment;
use crate::failures::Inside;
use crate::interned::{Name, Place};
use futures_core::Stream;

impl System {
    /// Attaches a stream from outside of turns; see [`Turn::attach`](crate::Turn::attach).
    #[track_caller]
    pub fn attach<S: Stream + Send + 'static>(&self, stream: S) -> Attachment<S> {
        let outside = || Inside {
            actor: "outside".to_owned(),
            behaviour: Name::new("-"),
        };
        let origin = Worker::inside().unwrap_or_else(outside);
        Attachment::new(stream, self.shared(), origin, Place::caller())
    }
}
