//! One program, compiled twice: with `use std::sync::Arc`, and with `use vivant_brc::Brc as Arc`.
//! Both must write the same journal.

mod with_arc {
    use std::sync::{Arc, Weak};
    include!("drop_in/program.rs");
}

mod with_brc {
    use vivant_brc::{Brc as Arc, Weak};
    include!("drop_in/program.rs");
}

#[test]
fn arc_and_brc_run_the_same_program() {
    let (arc, brc) = (with_arc::run(), with_brc::run());
    assert!(arc.len() > 50, "the program has run: {arc:#?}");
    assert_eq!(arc, brc);
}
