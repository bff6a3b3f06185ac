//! The alarm of an interval.

use super::behaviour::Message;
use super::call::Call;
use crate::actor::DelayedMessage;
use crate::services::{Alarm, Interval, Periodic};

/// An alarm that sends `call` periodically, until its receiver has ended.
pub(crate) fn interval<M: Message>(period_ns: u64, call: Call<'_, M>) -> Alarm<DelayedMessage>
where
    M::Args: Clone + Send,
{
    let message = Box::new(call.into_owned());
    Alarm::Every { period_ns, message }
}

impl<M: Message> Periodic<DelayedMessage> for Call<'static, M>
where
    M::Args: Clone + Send,
{
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn send_copy(&self) -> Interval {
        match self.again().unless_ended() {
            // A mailbox that is full for one tick is not the end.
            Ok(call) => {
                call.send();
                Interval::Continue
            }
            Err(_) => Interval::End,
        }
    }

    fn copy(&self) -> Option<DelayedMessage> {
        Some(self.again().into_delayed())
    }
}
