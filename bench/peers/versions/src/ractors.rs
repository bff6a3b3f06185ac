//! Readers and a writer as actors of ractor: each version is sent to each reader.

use crate::map::Map;
use crate::seen::Seen;
use crate::{KEPT, Platform, READERS, Version, changes};
use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort, call};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

enum Read<M> {
    Version(Arc<Version<M>>),
    LookUp,
    Stop(RpcReplyPort<Seen>),
    Forget,
}

struct Reader<M>(PhantomData<fn(M)>);

#[derive(PartialEq, Eq)]
enum Reads {
    NotYet,
    Now,
    NoMore,
}

struct Reading<M> {
    kept: VecDeque<Arc<Version<M>>>,
    seen: Seen,
    reads: Reads,
}

impl<M: Map> Actor for Reader<M> {
    type Msg = Read<M>;
    type State = Reading<M>;
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<Read<M>>,
        (): (),
    ) -> Result<Reading<M>, ActorProcessingErr> {
        Ok(Reading {
            kept: VecDeque::new(),
            seen: Seen::default(),
            reads: Reads::NotYet,
        })
    }

    async fn handle(
        &self,
        me: ActorRef<Read<M>>,
        message: Read<M>,
        s: &mut Reading<M>,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Read::Version(version) => {
                if s.kept.len() == KEPT {
                    s.kept.pop_front();
                }
                s.kept.push_back(version);
                s.seen.versions += 1;
                if s.reads == Reads::NotYet {
                    s.reads = Reads::Now;
                    me.cast(Read::LookUp)?;
                }
            }
            Read::LookUp => {
                if let (Some(version), Reads::Now) = (s.kept.back(), &s.reads) {
                    s.seen.look_up(&version.0);
                    me.cast(Read::LookUp)?;
                }
            }
            Read::Stop(port) => {
                s.reads = Reads::NoMore;
                port.send(mem::take(&mut s.seen))?;
            }
            Read::Forget => s.kept.clear(),
        }
        Ok(())
    }
}

enum Write {
    Publish(u64),
    Took(RpcReplyPort<Vec<Duration>>),
}

struct Writer<M>(PhantomData<fn(M)>);

struct Writing<M> {
    newest: Arc<Version<M>>,
    readers: Vec<ActorRef<Read<M>>>,
    took: Vec<Duration>,
}

impl<M: Map> Actor for Writer<M> {
    type Msg = Write;
    type State = Writing<M>;
    type Arguments = Writing<M>;

    async fn pre_start(
        &self,
        _: ActorRef<Write>,
        state: Writing<M>,
    ) -> Result<Writing<M>, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Write>,
        message: Write,
        s: &mut Writing<M>,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Write::Publish(version) => {
                let began = Instant::now();
                let mut map = s.newest.0.clone();
                changes(version).for_each(|(key, value)| map.put(key, value));
                s.newest = Version::new(map);
                for reader in &s.readers {
                    reader.cast(Read::Version(s.newest.clone()))?;
                }
                s.took.push(began.elapsed());
            }
            Write::Took(port) => port.send(mem::take(&mut s.took))?,
        }
        Ok(())
    }
}

pub struct Ractors<M: Map> {
    readers: Vec<ActorRef<Read<M>>>,
    writer: ActorRef<Write>,
}

impl<M: Map> Platform<M> for Ractors<M> {
    async fn begin(first: M) -> Self {
        let mut readers = Vec::new();
        for _ in 0..READERS {
            let reader = Actor::spawn(None, Reader(PhantomData), ()).await;
            readers.push(reader.expect("it begins").0);
        }
        let state = Writing {
            newest: Version::new(first),
            readers: readers.clone(),
            took: Vec::new(),
        };
        let writer = Actor::spawn(None, Writer(PhantomData), state).await;
        let writer = writer.expect("it begins").0;
        Ractors { readers, writer }
    }

    async fn publish(&mut self, version: u64) {
        self.writer.cast(Write::Publish(version)).expect("it lives");
    }

    async fn stop(&mut self) -> (Seen, Vec<Duration>) {
        let took = call!(self.writer, Write::Took).expect("it lives");
        let mut seen = Seen::default();
        for reader in &self.readers {
            seen.add(&call!(reader, Read::Stop).expect("it lives"));
        }
        (seen, took)
    }

    fn forget(&mut self) {
        for reader in &self.readers {
            reader.cast(Read::Forget).expect("it lives");
        }
    }
}
