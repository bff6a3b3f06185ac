//! Paths of the workspace: the root, the build folder, the files that git knows.

use crate::Failure;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the root `Cargo.toml`.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask/ lies in the root")
}

/// The build folder; `name` keeps builds apart that would otherwise invalidate each other.
pub(crate) fn target_dir(name: &str) -> PathBuf {
    let base =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    root().join(base).join(name)
}

/// Reads a file of the workspace.
pub(crate) fn read(path: &str) -> Result<String, Failure> {
    std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

/// Paths from the root, with `/`, of every file that is tracked or could be: new files are checked
/// before `git add`. The list is sorted and leaves out tracked files that are deleted in the
/// working tree.
pub(crate) fn files() -> Result<Vec<String>, Failure> {
    let mut files = git(&[
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ])?;
    files.retain(|path| root().join(path).is_file());
    files.sort();
    files.dedup();
    if files.is_empty() {
        return Err("git ls-files: no files; is this a checkout?".into());
    }
    Ok(files)
}

/// Paths from the root of the files that differ from the last commit: changed, new or deleted.
pub(crate) fn changed() -> Result<Vec<String>, Failure> {
    let mut files = git(&["diff", "--name-only", "--no-renames", "-z", "HEAD"])?;
    files.extend(git(&["ls-files", "-z", "--others", "--exclude-standard"])?);
    Ok(files)
}

/// What a command of git lists, with a NUL after each entry.
fn git(args: &[&str]) -> Result<Vec<String>, Failure> {
    let name = args[0];
    let listing = Command::new("git")
        .args(args)
        .current_dir(root())
        .output()
        .map_err(|error| format!("git {name}: {error}"))?;
    if !listing.status.success() {
        return Err(format!(
            "git {name}: {}",
            String::from_utf8_lossy(&listing.stderr).trim()
        ));
    }
    let listing = String::from_utf8(listing.stdout)
        .map_err(|_| format!("git {name}: a file name is not UTF-8"))?;
    let entries = listing.split('\0').filter(|path| !path.is_empty());
    Ok(entries.map(String::from).collect())
}
