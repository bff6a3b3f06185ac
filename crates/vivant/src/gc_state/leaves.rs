//! Leaf types of the runtime, which a heap stores untraced: they contain no reference into a heap.

use crate::actor::{AskError, Panic, StopReason, Timer};
use crate::api::{Address, Resolver, Target, WeakAddress};
use crate::edge::Attached;
use crate::patterns::{Group, Router, Subscription, Topic};
use crate::system::System;
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
