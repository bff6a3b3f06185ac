//! Options that are not there, or do not go together: all are reported at once.

use vivant_codec::Saved;

#[derive(Saved)]
#[saved(versoin = 2)]
struct Misspelt {
    #[saved(defualt)]
    a: u8,
    #[saved(skip, was = "c")]
    b: u8,
    #[saved(serde, any_order)]
    c: u8,
    #[saved(name = "")]
    d: u8,
}

#[derive(Saved)]
#[saved(from = Old)]
struct WithoutVersion {}

#[derive(Saved)]
struct SameNames {
    #[saved(was = "b")]
    a: u8,
    b: u8,
}

#[derive(Saved)]
enum SameVariants {
    A,
    #[saved(name = "A")]
    B,
    #[saved(default)]
    C,
}

#[derive(Saved)]
struct Borrowed<'a, 'b> {
    a: std::borrow::Cow<'a, str>,
    b: std::borrow::Cow<'b, str>,
}

#[derive(Saved)]
union Either {
    a: u8,
}

fn main() {}
