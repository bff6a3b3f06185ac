//! `features`, `targets`, `msrv`: the same crates compiled in the ways that users compile them, and
//! tested with all features.

use crate::command::Run;
use crate::filtered::Tests;
use crate::{Failure, manifest, toolchain, workspace};

/// One target of each kind that we promise beside Linux on x86-64: another processor, another Unix,
/// Windows.
const TARGETS: &[&str] = &[
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
];

/// Clippy takes the place of `check`: it can refuse warnings without building all dependencies
/// anew.
pub(crate) fn features() -> Result<(), Failure> {
    toolchain::ensure_components_in_use(&["clippy"])?;
    Run::cargo("clippy --workspace --all-targets -- -D warnings").run()?;
    for package in [
        "vivant",
        "vivant-brc",
        "vivant-codec",
        "vivant-heap",
        "vivant-collections",
    ] {
        let check = |features: &str| {
            Run::cargo("clippy -p")
                .arg(package)
                .words(features)
                .words("--all-targets -- -D warnings")
                .run()
        };
        check("--no-default-features")?;
        let features =
            manifest::features(&manifest::read(&format!("crates/{package}/Cargo.toml"))?);
        if features.is_empty() {
            // `test` has already tested the default features.
            continue;
        }
        for feature in features {
            check(&format!("--no-default-features --features {feature}"))?;
        }
        check("--all-features")?;
        // What a feature adds has tests of its own, and costs no other test anything.
        let run = Run::cargo("test --all-features --tests -p").arg(package);
        Tests::of(run).run()?;
    }
    Ok(())
}

pub(crate) fn targets() -> Result<(), Failure> {
    for target in TARGETS {
        toolchain::ensure_target_in_use(target)?;
        Run::cargo(
            "check -p vivant -p vivant-brc -p vivant-heap -p vivant-collections -p vivant-codec -p vivant-console -p vivant-axum -p vivant-journal -p vivant-cli --target",
        )
        .arg(*target)
        .run()?;
    }
    Ok(())
}

/// In a folder of its own, because two toolchains in one folder build everything anew in turns.
pub(crate) fn msrv() -> Result<(), Failure> {
    let manifest = manifest::read("Cargo.toml")?;
    let version = manifest::value(&manifest, &["workspace", "package"], "rust-version")
        .and_then(|version| version.as_str())
        .ok_or("Cargo.toml: no rust-version in [workspace.package]")?;
    let toolchain = release(version);
    toolchain::ensure(&toolchain)?;
    Run::cargo_of(
        &toolchain,
        "check -p vivant -p vivant-macros -p vivant-brc -p vivant-heap -p vivant-collections -p vivant-codec -p vivant-console -p vivant-axum -p vivant-journal -p vivant-cli --all-features --target-dir",
    )
    .arg(workspace::target_dir("msrv"))
    .run()
}

/// The first release of a version, which is what a `rust-version` promises: `1.88` is `1.88.0`.
fn release(version: &str) -> String {
    if version.matches('.').count() < 2 {
        format!("{version}.0")
    } else {
        version.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::release;

    #[test]
    fn a_version_means_its_first_release() {
        assert_eq!(release("1.88"), "1.88.0");
        assert_eq!(release("1.88.1"), "1.88.1");
    }
}
