//! H5: what a borrow of a part refers to ends with it.

use vivant_heap::*;

fn look<'gc>(m: &Mutator<'gc>, text: Gc<'gc, Mut<String>>) {
    let guard = Ref::map(text.borrow(), |text| text.as_str());
    let part: &str = &guard;
    drop(guard);
    text.borrow_mut(m).clear();
    assert_eq!(part, "");
}

fn write<'gc>(m: &Mutator<'gc>, pair: Gc<'gc, Mut<(u64, u64)>>) -> &'gc mut u64 {
    let (mut one, _) = RefMut::map_split(pair.borrow_mut(m), |pair| (&mut pair.0, &mut pair.1));
    &mut *one
}

fn main() {}
