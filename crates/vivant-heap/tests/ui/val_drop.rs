//! H10: what has shared parts has no destructor: it would run when these may be gone.

use vivant_heap::*;

#[derive(Object)]
struct Ends<'gc>(Val<'gc, str>);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        println!("{:?}", self.0);
    }
}

fn main() {}
