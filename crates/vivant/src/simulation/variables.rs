//! The environment variables of tests. An invalid value must not silently run another test than the
//! requested one, so it is a panic.

use crate::services::Trace;
use std::env;

/// The number in `VIVANT_SEED` or `VIVANT_SEEDS`.
pub(super) fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    match text.parse() {
        Ok(number) => Some(number),
        Err(error) => panic!("{variable}={text} is not a number of seeds or a seed: {error}"),
    }
}

/// Whether `VIVANT_TRACE` requests a trace.
pub(super) fn trace() -> Trace {
    match env::var("VIVANT_TRACE").as_deref() {
        Ok("1") => Trace::On,
        Ok("0" | "") | Err(env::VarError::NotPresent) => Trace::Off,
        other => {
            panic!("VIVANT_TRACE is {other:?}: `1` prints the turns of simulations, `0` does not")
        }
    }
}
