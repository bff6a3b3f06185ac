//! Y6: what the derive says that a type is frozen as is this crate's `Ice`, also if it is told that the crate is another one: any other type is laid out otherwise.

use vivant_heap::{Freeze, Gc, Leaf, Object};

mod other {
    pub use vivant_heap::*;
    pub trait Pick {
        type Out;
    }
    impl<T> Pick for T {
        type Out = super::Text;
    }
    pub type Ice<T> = <T as Pick>::Out;
}

#[derive(Object)]
pub struct Text(Leaf<&'static str>);

#[derive(Object, Freeze)]
#[object(crate = other)]
struct Numbers<'gc> {
    address: usize,
    length: usize,
    brand: std::marker::PhantomData<Gc<'gc, u8>>,
}

fn main() {}
