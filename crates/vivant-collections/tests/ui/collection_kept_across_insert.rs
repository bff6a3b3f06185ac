//! What a collection lends ends when it is changed.

use vivant_collections::gc;
use vivant_heap::Mutator;

fn kept<'gc>(m: &Mutator<'gc>, map: &mut gc::HashMap<'gc, u64, String>) -> usize {
    map.insert(m, 1, "one".to_owned());
    let one = map.get(&1).unwrap();
    map.insert(m, 2, "two".to_owned());
    one.len()
}

fn twice<'gc>(m: &Mutator<'gc>, vec: &mut gc::Vec<'gc, String>) {
    let one = vec.get_mut(m, 0).unwrap();
    let other = vec.get_mut(m, 1).unwrap();
    std::mem::swap(one, other);
}

fn cleared<'gc>(map: &mut gc::BTreeMap<'gc, u64, String>) {
    for _ in map.iter() {
        map.clear();
    }
}

fn main() {}
