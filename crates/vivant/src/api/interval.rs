//! The alarm of a periodic timer.

use super::behaviour::Message;
use super::call::Call;
use crate::services::{Alarm, Interval};

/// An alarm that sends `call` periodically, until its receiver has ended; then it calls `gone`.
pub(crate) fn interval<M: Message>(
    period_ns: u64,
    call: Call<'static, M>,
    gone: impl Fn() + Send + 'static,
) -> Alarm
where
    M::Args: Clone + Send,
{
    let fire = move || match call.again().unless_ended() {
        // A mailbox that is full for one tick is not the end.
        Ok(call) => {
            call.send();
            Interval::Continue
        }
        Err(_) => {
            gone();
            Interval::End
        }
    };
    let fire = Box::new(fire);
    Alarm::Every { period_ns, fire }
}
