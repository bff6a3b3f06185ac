//! O2: what is shared is not written.

use vivant_heap::*;

fn written<'gc>(m: &Mutator<'gc>) {
    let text = m.val(String::new());
    text.push('a');
}

fn main() {}
