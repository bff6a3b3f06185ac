//! As `leaf_attribute_crate`: a destructor is seen.

use std::marker::PhantomData;

mod other {
    pub use vivant_heap::*;
    pub mod __private {
        pub trait Otherwise: Sized {
            fn of(self) -> vivant_heap::__private::Missing {
                vivant_heap::__private::Missing
            }
        }
        impl<T> Otherwise for T {}
        pub struct Destructor<T>(super::super::PhantomData<T>);
        pub fn allowed<T>(_: T) {}
    }
}

#[derive(vivant_heap::Object)]
#[object(crate = other)]
struct Ends<'gc> {
    part: vivant_heap::Gc<'gc, String>,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        println!("{:?}", self.part);
    }
}

fn main() {}
