//! The audience: the actors to which a shard sends answers and market data.

use crate::meter::Meter;
use crate::reader::Reader;
use crate::trader::Trader;
use vivant::prelude::*;

/// Addresses that every shard has.
#[derive(Debug)]
pub struct Audience {
    /// By their numbers.
    pub traders: Vec<Address<Trader>>,
    /// By their numbers.
    pub readers: Vec<Address<Reader>>,
    /// The meter of latencies.
    pub meter: Address<Meter>,
}

impl Audience {
    /// `traders` traders, `readers` readers, and a meter.
    #[must_use]
    pub fn gather(system: &System, traders: u32, readers: u32) -> Audience {
        let meter = system.spawn(Meter::new(readers));
        let trader = |number| system.spawn(Trader::new(number));
        let reader = |number| Reader::spawn(system, number, meter.clone());
        Audience {
            traders: (0..traders).map(trader).collect(),
            readers: (0..readers).map(reader).collect(),
            meter,
        }
    }
}
