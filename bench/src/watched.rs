//! The cheapest possible observers of the runtime, to measure the cost of being observed.

use crate::failure::Failure;

#[cfg(feature = "metrics")]
mod recorder;
#[cfg(feature = "tracing")]
mod subscriber;

/// From here on, all events and metrics of the runtime are counted.
pub(crate) fn begin() -> Result<(), Failure> {
    #[cfg(feature = "tracing")]
    subscriber::begin();
    #[cfg(feature = "metrics")]
    recorder::begin();
    if cfg!(any(feature = "tracing", feature = "metrics")) {
        Ok(())
    } else {
        Err(Failure::NothingToWatch)
    }
}
