//! `fmt`, `clippy`, `docs`: the toolchain's own checks of the source text. A warning is an error.

use crate::Failure;
use crate::args::Args;
use crate::command::Run;
use crate::toolchain;

pub(crate) fn fmt(args: &mut Args) -> Result<(), Failure> {
    args.finish()?;
    toolchain::ensure_components_in_use(&["rustfmt"])?;
    Run::cargo("fmt --all --check").run()
}

/// Once, with all features. What is compiled without a feature is a part of `features`.
pub(crate) fn clippy(args: &mut Args) -> Result<(), Failure> {
    args.finish()?;
    toolchain::ensure_components_in_use(&["clippy"])?;
    Run::cargo("clippy --workspace --all-targets --all-features -- -D warnings").run()
}

pub(crate) fn docs(args: &mut Args) -> Result<(), Failure> {
    args.finish()?;
    Run::cargo("doc --workspace --no-deps --all-features")
        .env("RUSTDOCFLAGS", "-Dwarnings")
        .run()
}
