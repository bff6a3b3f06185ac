// Included by `api.rs` where `Arc` and `Weak` are in scope. In the order of std's page.

use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::any::Any;
use std::borrow::{Borrow, Cow};
use std::error::Error;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fmt::{Debug, Display, Pointer};
use std::fs::File;
use std::hash::Hash;
use std::io::{Read, Seek, Write};
use std::mem;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::{Path, PathBuf};
use std::pin;

type Value = u32;
type Anything = dyn Any + Send + Sync;

fn making() {
    let _: fn(Value) -> Arc<Value> = Arc::new;
    let _: fn(fn(&Weak<Value>) -> Value) -> Arc<Value> = Arc::new_cyclic;
    let _: fn() -> Arc<mem::MaybeUninit<Value>> = Arc::<Value>::new_uninit;
    let _: fn(Value) -> pin::Pin<Arc<Value>> = Arc::pin;
    let _: fn(usize) -> Arc<[mem::MaybeUninit<Value>]> = Arc::<[Value]>::new_uninit_slice;
    let _: unsafe fn(Arc<mem::MaybeUninit<Value>>) -> Arc<Value> =
        Arc::<mem::MaybeUninit<Value>>::assume_init;
    let _: unsafe fn(Arc<[mem::MaybeUninit<Value>]>) -> Arc<[Value]> =
        Arc::<[mem::MaybeUninit<Value>]>::assume_init;
}

fn looking<T: ?Sized>() {
    let _: unsafe fn(*const T) -> Arc<T> = Arc::from_raw;
    let _: fn(Arc<T>) -> *const T = Arc::into_raw;
    let _: unsafe fn(*const T) = Arc::increment_strong_count;
    let _: unsafe fn(*const T) = Arc::decrement_strong_count;
    let _: fn(&Arc<T>) -> *const T = Arc::as_ptr;
    let _: fn(&Arc<T>) -> Weak<T> = Arc::downgrade;
    let _: fn(&Arc<T>) -> usize = Arc::weak_count;
    let _: fn(&Arc<T>) -> usize = Arc::strong_count;
    let _: fn(&Arc<T>, &Arc<T>) -> bool = Arc::ptr_eq;
}

fn taking<T: Clone>() {
    let _: fn(Arc<T>) -> Result<T, Arc<T>> = Arc::try_unwrap;
    let _: fn(Arc<T>) -> Option<T> = Arc::into_inner;
    let _: fn(Arc<T>) -> T = Arc::unwrap_or_clone;
    let _: fn(Arc<Anything>) -> Result<Arc<Value>, Arc<Anything>> = Arc::downcast::<Value>;
}

fn changing<T: ?Sized, E: Clone + Send + Sync + 'static>() {
    let _: fn(&mut Arc<T>) -> Option<&mut T> = Arc::get_mut;
    let _: fn(&mut Arc<E>) -> &mut E = Arc::make_mut;
    let _: fn(&mut Arc<[E]>) -> &mut [E] = Arc::make_mut;
    let _: fn(&mut Arc<str>) -> &mut str = Arc::make_mut;
    let _: fn(&mut Arc<CStr>) -> &mut CStr = Arc::make_mut;
    let _: fn(&mut Arc<OsStr>) -> &mut OsStr = Arc::make_mut;
    let _: fn(&mut Arc<Path>) -> &mut Path = Arc::make_mut;
}

fn weak<T, U: ?Sized>() {
    const fn nothing<T>() -> Weak<T> {
        Weak::new()
    }
    let _: fn() -> Weak<T> = nothing;
    let _: fn(&Weak<U>) -> *const U = Weak::as_ptr;
    let _: fn(Weak<U>) -> *const U = Weak::into_raw;
    let _: unsafe fn(*const U) -> Weak<U> = Weak::from_raw;
    let _: fn(&Weak<U>) -> Option<Arc<U>> = Weak::upgrade;
    let _: fn(&Weak<U>) -> usize = Weak::strong_count;
    let _: fn(&Weak<U>) -> usize = Weak::weak_count;
    let _: fn(&Weak<U>, &Weak<U>) -> bool = Weak::ptr_eq;
    fn implements<X: Clone + Debug + Unpin>() {}
    implements::<Weak<U>>();
    fn has_default<X: Default>() {}
    has_default::<Weak<T>>();
}

fn of_any_type<T: ?Sized>() {
    fn implements<
        X: AsRef<T> + Borrow<T> + Clone + Deref<Target = T> + Pointer + Unpin,
        T: ?Sized,
    >() {
    }
    implements::<Arc<T>, T>();
    fn has_default<X: Default>() {}
    has_default::<Arc<[Box<T>]>>();
    fn array<T>()
    where
        Arc<[T; 3]>: TryFrom<Arc<[T]>, Error = Arc<[T]>>,
    {
    }
    array::<Box<T>>();
}

fn of_its_value<T: ?Sized + Debug + Display + Error + Eq + Hash + Ord>() {
    fn implements<X: Debug + Display + Error + Eq + Hash + Ord + PartialEq + PartialOrd>() {}
    implements::<Arc<T>>();
}

fn conversions<T: Clone + Send + Sync + 'static>() {
    fn from<X: From<Y>, Y>() {}
    from::<Arc<T>, T>();
    from::<Arc<T>, Box<T>>();
    from::<Arc<Anything>, Box<Anything>>();
    from::<Arc<[T]>, [T; 3]>();
    from::<Arc<[T]>, &[T]>();
    from::<Arc<[T]>, &mut [T]>();
    from::<Arc<[T]>, Vec<T>>();
    from::<Arc<[T]>, Cow<'_, [T]>>();
    from::<Arc<[u8]>, Arc<str>>();
    fn collects<X: FromIterator<Y>, Y>() {}
    collects::<Arc<[T]>, T>();
}

macro_rules! strings {
    ($($string:ty, $owned:ty;)*) => {$(
        assert_impl_all!(Arc<$string>: From<&'static $string>, From<&'static mut $string>, From<Box<$string>>, From<$owned>);
        assert_impl_all!(Arc<$string>: From<Cow<'static, $string>>);
    )*};
}

strings! {
    str, String;
    CStr, CString;
    OsStr, OsString;
    Path, PathBuf;
}

assert_impl_all!(Arc<str>: Default);
assert_impl_all!(Arc<CStr>: Default);
assert_impl_all!(Arc<Value>: Default);

assert_impl_all!(Arc<File>: Read, Write, Seek);
#[cfg(unix)]
assert_impl_all!(Arc<File>: std::os::fd::AsFd, std::os::fd::AsRawFd);
#[cfg(windows)]
assert_impl_all!(Arc<File>: std::os::windows::io::AsHandle);
#[cfg(windows)]
assert_impl_all!(Arc<std::net::UdpSocket>: std::os::windows::io::AsSocket);
assert_not_impl_any!(Arc<std::io::Empty>: Read, Write);
assert_not_impl_any!(Arc<[u8]>: Read);

// Markers. `Cell` is `Send` and not `Sync`, a guard is `Sync` and not `Send`, a raw pointer is
// neither.
type Guard = std::sync::MutexGuard<'static, u8>;
type Cell = std::cell::Cell<u8>;
assert_impl_all!(Arc<Value>: Send, Sync, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Weak<Value>: Send, Sync, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Arc<Anything>: Send, Sync, Unpin);
assert_impl_all!(Arc<std::marker::PhantomPinned>: Unpin);
assert_impl_all!(Weak<std::marker::PhantomPinned>: Unpin);
assert_not_impl_any!(Arc<Cell>: Send, Sync, UnwindSafe, RefUnwindSafe);
assert_not_impl_any!(Weak<Cell>: Send, Sync, UnwindSafe, RefUnwindSafe);
assert_not_impl_any!(Arc<Guard>: Send, Sync);
assert_not_impl_any!(Weak<Guard>: Send, Sync);
assert_not_impl_any!(Arc<*const u8>: Send, Sync);
assert_not_impl_any!(Weak<*const u8>: Send, Sync);
assert_not_impl_any!(Arc<dyn Any>: Send, Sync, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Arc<&'static mut u8>: RefUnwindSafe, UnwindSafe);

// Sizes, with room for `None`.
const _: () = assert!(size_of::<Arc<Value>>() == 8 && size_of::<Option<Arc<Value>>>() == 8);
const _: () = assert!(size_of::<Weak<Value>>() == 8 && size_of::<Option<Weak<Value>>>() == 8);
const _: () =
    assert!(size_of::<Option<Arc<[Value]>>>() == 16 && size_of::<Option<Weak<Anything>>>() == 16);
