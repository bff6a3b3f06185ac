//! Leaf types of the runtime, which a heap stores untraced: they contain no reference into a heap.

use crate::address::{Address, Target, WeakAddress};
use crate::error::{AskError, Panic};
use crate::group::Group;
use crate::promise::Resolver;
use crate::router::Router;
use crate::stop::StopReason;
use crate::stream::Attached;
use crate::system::System;
use crate::timer::Timer;
use crate::topic::{Subscription, Topic};
use vivant_heap::leaf;

leaf!([T: ?Sized + Target] Address<T>, address shows &Address::link(address).to);
leaf!([T: ?Sized + Target] WeakAddress<T>);
leaf!([T: ?Sized + Target] Group<T>);
leaf!([T: ?Sized + Target] Router<T>);
leaf!([T: Send + 'static] Resolver<T>);
leaf!([T: Send + 'static] Topic<T>);
leaf!([] Subscription);
leaf!([] Attached);
leaf!([] Timer);
leaf!([] System);
leaf!([] StopReason);
leaf!([] AskError);
leaf!([] Panic);
