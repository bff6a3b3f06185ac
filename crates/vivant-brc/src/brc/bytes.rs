//! Strings of all kinds, and byte slices: values without a destructor.

use super::{Brc, newborn};
use crate::object::{Object, Raw, copied};
use std::ffi::{CStr, CString, OsStr, OsString};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

/// Conversions from borrowed and from owned strings.
macro_rules! strings {
    ($($string:ty, $owned:ty;)*) => {$(
        impl From<&$string> for Brc<$string> {
            /// Copies the bytes into a new object.
            fn from(value: &$string) -> Brc<$string> {
                // SAFETY: a copy of the bytes is another value: bytes have no destructor, and
                // borrow nothing.
                Brc::counted(unsafe { copied(newborn(size_of_val(value)), value) })
            }
        }

        impl From<&mut $string> for Brc<$string> {
            /// Copies the bytes into a new object.
            fn from(value: &mut $string) -> Brc<$string> {
                Brc::from(&*value)
            }
        }

        impl From<$owned> for Brc<$string> {
            /// Copies the bytes into a new object.
            fn from(value: $owned) -> Brc<$string> {
                Brc::from(&*value)
            }
        }
    )*};
}

strings! {
    str, String;
    CStr, CString;
    OsStr, OsString;
    Path, PathBuf;
}

impl From<Brc<str>> for Brc<[u8]> {
    /// The same object, as its bytes.
    fn from(text: Brc<str>) -> Brc<[u8]> {
        let object = ManuallyDrop::new(text).raw.0.as_ptr();
        // SAFETY: not null. A `str` is laid out as its bytes, and the pointer's metadata is their
        // number.
        Brc::counted(Raw(unsafe {
            NonNull::new_unchecked(object as *mut Object<[u8]>)
        }))
    }
}
