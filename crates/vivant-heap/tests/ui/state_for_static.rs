//! Y4: a state is made for every brand, not for `'static`.

use vivant_heap::*;

struct Forever;
impl Root for Forever {
    type Of<'gc> = Option<Gc<'static, u64>>;
}

fn main() {}
