//! Readers as tasks of tokio, which load the newest version from one `ArcSwap`; a thread stores it
//! there.

use crate::map::Map;
use crate::seen::Seen;
use crate::{KEPT, Platform, READERS, Version, changes};
use arc_swap::ArcSwap;
use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub struct Tasks<M> {
    newest: Arc<ArcSwap<Version<M>>>,
    stop: Arc<AtomicBool>,
    forget: watch::Sender<bool>,
    readers: Vec<JoinHandle<()>>,
    seen: tokio::sync::mpsc::UnboundedReceiver<Seen>,
    took: Vec<Duration>,
}

async fn read<M: Map>(
    newest: Arc<ArcSwap<Version<M>>>,
    stop: Arc<AtomicBool>,
    mut forget: watch::Receiver<bool>,
    tell: tokio::sync::mpsc::UnboundedSender<Seen>,
) {
    let mut kept: VecDeque<Arc<Version<M>>> = VecDeque::new();
    let mut seen = Seen::default();
    while !stop.load(Ordering::Relaxed) {
        {
            let version = newest.load();
            if kept.back().is_none_or(|last| !Arc::ptr_eq(last, &version)) {
                if kept.len() == KEPT {
                    kept.pop_front();
                }
                kept.push_back(Arc::clone(&version));
                seen.versions += 1;
            }
        }
        if let Some(version) = kept.back() {
            seen.look_up(&version.0);
        }
        tokio::task::yield_now().await;
    }
    let _ = tell.send(mem::take(&mut seen));
    let _ = forget.changed().await;
}

impl<M: Map> Platform<M> for Tasks<M> {
    async fn begin(first: M) -> Self {
        let newest = Arc::new(ArcSwap::new(Version::new(first)));
        let stop = Arc::new(AtomicBool::new(false));
        let (forget, forgets) = watch::channel(false);
        let (tell, seen) = tokio::sync::mpsc::unbounded_channel();
        let reader = |_| {
            let (newest, stop) = (newest.clone(), stop.clone());
            tokio::spawn(read(newest, stop, forgets.clone(), tell.clone()))
        };
        let readers = (0..READERS).map(reader).collect();
        Tasks {
            newest,
            stop,
            forget,
            readers,
            seen,
            took: Vec::new(),
        }
    }

    async fn publish(&mut self, version: u64) {
        let began = Instant::now();
        let mut map = self.newest.load().0.clone();
        changes(version).for_each(|(key, value)| map.put(key, value));
        self.newest.store(Version::new(map));
        self.took.push(began.elapsed());
    }

    async fn stop(&mut self) -> (Seen, Vec<Duration>) {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Seen::default();
        for _ in &self.readers {
            all.add(&self.seen.recv().await.expect("each tells"));
        }
        (all, mem::take(&mut self.took))
    }

    fn forget(&mut self) {
        self.forget.send_replace(true);
    }
}
