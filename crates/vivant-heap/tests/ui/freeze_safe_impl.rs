//! Y6: who says by hand that something can be frozen answers for it; nobody makes an `Ice` of a value.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    weak: Option<Weak<'gc, u64>>,
}

impl<'gc> Freeze<'gc> for Node<'gc> {
    type Frozen = Self;
    type View<'a>
        = &'a Self
    where
        Self: 'a,
        'gc: 'a;
    unsafe fn view<'a>(&'a self) -> &'a Self
    where
        'gc: 'a,
    {
        self
    }
}

fn made<'gc>(private: Gc<'gc, Mut<u64>>) -> Ice<Gc<'gc, Mut<u64>>> {
    Ice(private)
}

fn seen<'gc>(private: &Gc<'gc, Mut<u64>>) -> Val<'gc, Ice<Mut<u64>>> {
    private.view()
}

fn main() {}
