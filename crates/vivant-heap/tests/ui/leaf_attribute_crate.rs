//! The derive's checks are this crate's, also if it is told that the crate is another one.

mod other {
    pub use vivant_heap::*;
    pub mod __private {
        pub use vivant_heap::__private::*;
        pub fn leaf<T: ?Sized>(_: &T) {}
    }
    pub trait Lenient {
        fn __leaf<T>(self, _: &T)
        where
            Self: Sized,
        {
        }
    }
    impl Lenient for &mut vivant_heap::Tracer<'_> {}
}
use other::Lenient;

#[derive(vivant_heap::Object)]
#[object(crate = other)]
struct Hidden<'gc> {
    #[object(leaf)]
    part: vivant_heap::Gc<'gc, String>,
}

fn main() {}
