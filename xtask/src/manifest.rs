//! The few facts that the checks need from a `Cargo.toml`.

use crate::{Failure, workspace};
use toml::{Table, Value};

/// The `Cargo.toml` at `path`.
pub(crate) fn read(path: &str) -> Result<Table, Failure> {
    let text = workspace::read(path)?;
    text.parse().map_err(|error| format!("{path}: {error}"))
}

/// The value of `key` in the table that `section`, its names in order, leads to.
pub(crate) fn value<'a>(manifest: &'a Table, section: &[&str], key: &str) -> Option<&'a Value> {
    let step = |table: &'a Table, name: &&str| table.get(*name)?.as_table();
    section.iter().try_fold(manifest, step)?.get(key)
}

/// The names in `[features]`.
pub(crate) fn features(manifest: &Table) -> Vec<String> {
    let features = manifest.get("features").and_then(Value::as_table);
    features.map_or_else(Vec::new, |features| features.keys().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_features_are_found_in_their_sections_only() {
        let manifest: Table = r#"
            workspace.package = { rust-version = "1.88" }
            [features]
            default = ["macros"]
            macros = [
                "dep:vivant-macros",
            ]
            "full" = []
            [dependencies]
            other = "1"
        "#
        .parse()
        .unwrap();
        let version = value(&manifest, &["workspace", "package"], "rust-version");
        assert_eq!(version.and_then(Value::as_str), Some("1.88"));
        assert_eq!(value(&manifest, &["features"], "rust-version"), None);
        assert_eq!(features(&manifest), ["default", "full", "macros"]);
        assert!(features(&Table::new()).is_empty());
    }
}
