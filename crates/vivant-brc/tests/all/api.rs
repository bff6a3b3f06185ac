//! The interface of `Arc` in stable Rust 1.88, written once and compiled for `Arc` and for `Brc`:
//! an item that one of them lacks, or has in another form, does not compile.

#[allow(dead_code, reason = "a list of names, which no test calls")]
mod of_arc {
    use std::sync::{Arc, Weak};
    include!("api/list.rs");
}

#[allow(dead_code, reason = "a list of names, which no test calls")]
mod of_brc {
    use std::mem::MaybeUninit;
    use std::pin::Pin;
    use vivant_brc::{Brc as Arc, Weak};
    include!("api/list.rs");

    /// Stable for `Arc` since 1.91 and 1.92.
    fn later() {
        let _: fn() -> Arc<MaybeUninit<Value>> = Arc::<Value>::new_zeroed;
        let _: fn(usize) -> Arc<[MaybeUninit<Value>]> = Arc::<[Value]>::new_zeroed_slice;
        assert_impl_all!(Pin<Arc<Value>>: Default);
    }
}
