//! Toolchains, components and targets of rustup. Each is looked up first and installed only if
//! missing, so that a machine that has them all needs no network.

use crate::Failure;
use crate::command::Run;

/// The toolchain for tools that stable Rust lacks: Miri and the sanitizers.
pub(crate) const NIGHTLY: &str = "nightly";

/// Installs `toolchain` if it is missing.
pub(crate) fn ensure(toolchain: &str) -> Result<(), Failure> {
    if names(
        &Run::new("rustup").words("toolchain list").output()?,
        toolchain,
    ) {
        return Ok(());
    }
    Run::new("rustup")
        .words("toolchain install --profile minimal")
        .arg(toolchain)
        .run()
}

/// Installs `toolchain` and `components` if they are missing.
pub(crate) fn ensure_components(toolchain: &str, components: &[&str]) -> Result<(), Failure> {
    ensure(toolchain)?;
    ensure_in(Some(toolchain), "component", components)
}

/// Installs `components` of the toolchain in use if they are missing.
pub(crate) fn ensure_components_in_use(components: &[&str]) -> Result<(), Failure> {
    ensure_in(None, "component", components)
}

/// Makes sure that the toolchain in use can compile for `target`.
pub(crate) fn ensure_target_in_use(target: &str) -> Result<(), Failure> {
    ensure_in(None, "target", &[target])
}

fn ensure_in(toolchain: Option<&str>, kind: &str, wanted: &[&str]) -> Result<(), Failure> {
    let rustup = |verb: &str| {
        let run = Run::new("rustup").arg(kind).words(verb);
        match toolchain {
            Some(toolchain) => run.arg("--toolchain").arg(toolchain),
            None => run,
        }
    };
    let installed = rustup("list --installed").output()?;
    let missing: Vec<&str> = wanted
        .iter()
        .copied()
        .filter(|name| !names(&installed, name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    rustup("add").words(&missing.join(" ")).run()
}

/// Whether a line of a rustup list is `name`, alone or followed by a host
/// (`clippy-x86_64-unknown-linux-gnu`) or a note.
fn names(list: &str, name: &str) -> bool {
    list.lines().any(|line| {
        line.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-') || rest.starts_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_what_it_holds_with_or_without_host() {
        let list = "clippy-x86_64-unknown-linux-gnu\nrust-src\nnightly-x86_64-unknown-linux-gnu (default)\n";
        for name in ["clippy", "rust-src", "nightly"] {
            assert!(names(list, name), "{name}");
        }
        for name in ["miri", "rust-s", "1.88.0"] {
            assert!(!names(list, name), "{name}");
        }
    }
}
