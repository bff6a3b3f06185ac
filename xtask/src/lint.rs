//! `fmt`, `clippy`, `docs`: the toolchain's own checks of the source text. A warning is an error.

use crate::Failure;
use crate::command::Run;
use crate::toolchain;

pub(crate) fn fmt() -> Result<(), Failure> {
    toolchain::ensure_components_in_use(&["rustfmt"])?;
    Run::cargo("fmt --all --check").run()
}

/// Once, with all features. What is compiled without a feature is a part of `features`.
pub(crate) fn clippy() -> Result<(), Failure> {
    toolchain::ensure_components_in_use(&["clippy"])?;
    Run::cargo("clippy --workspace --all-targets --all-features -- -D warnings").run()
}

pub(crate) fn docs() -> Result<(), Failure> {
    Run::cargo("doc --workspace --no-deps --all-features")
        .env("RUSTDOCFLAGS", "-Dwarnings")
        .run()
}
