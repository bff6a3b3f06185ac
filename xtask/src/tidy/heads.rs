//! Each file of a crate's source begins with a head that says what it holds: `//!`, or a document
//! that stands for it.

use super::{Code, Finding};

pub(super) fn check(source: &Code) -> Option<Finding> {
    let is_of_crate = source.path.contains("/src/");
    let mut lines = source.text.lines();
    let is_head = |line: &str| line.starts_with("//!") || line.starts_with("#![doc = include_str!");
    (is_of_crate && !lines.any(is_head)).then(|| {
        Finding::new(
            &source.path,
            0,
            "has no head (`//!`) that says what it holds",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canary_a_file_without_head_is_flagged() {
        let is_flagged = |path: &str, text: &str| check(&Code::new(path, text.into())).is_some();
        assert!(is_flagged(
            "crates/a/src/b.rs",
            "/// Not of the file.\nfn f() {}\n"
        ));
        assert!(!is_flagged(
            "crates/a/src/b.rs",
            "#![forbid(unsafe_code)]\n//! Of b.\n"
        ));
        assert!(!is_flagged(
            "crates/a/src/lib.rs",
            "#![doc = include_str!(\"R.md\")]\n"
        ));
        assert!(!is_flagged("crates/a/tests/ui/b.rs", "fn main() {}\n"));
    }
}
