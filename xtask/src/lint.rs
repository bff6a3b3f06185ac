//! `fmt`, `clippy`, `docs`: what the toolchain itself can say about the text. A warning is an
//! error.

use crate::Failure;
use crate::args::Args;
use crate::command::Run;
use crate::toolchain;

pub(crate) fn fmt(args: &mut Args) -> Result<(), Failure> {
    args.finish()?;
    toolchain::ensure_components_in_use(&["rustfmt"])?;
    Run::cargo("fmt --all --check").run()
}

/// Twice, because code behind a feature is not compiled without it, nor its twin with it.
pub(crate) fn clippy(args: &mut Args) -> Result<(), Failure> {
    args.finish()?;
    toolchain::ensure_components_in_use(&["clippy"])?;
    Run::cargo("clippy --workspace --all-targets -- -D warnings").run()?;
    Run::cargo("clippy --workspace --all-targets --all-features -- -D warnings").run()
}

pub(crate) fn docs(args: &mut Args) -> Result<(), Failure> {
    args.finish()?;
    Run::cargo("doc --workspace --no-deps --all-features")
        .env("RUSTDOCFLAGS", "-Dwarnings")
        .run()
}
