//! The few facts that the checks need from a `Cargo.toml`. The values are on one line, as `cargo`
//! itself writes them.

/// The value of `key` in `[section]`, without its quotes.
pub(crate) fn string(manifest: &str, section: &str, key: &str) -> Option<String> {
    lines(manifest, section).find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == key).then(|| value.trim().trim_matches('"').to_string())
    })
}

/// The names in `[features]`, in the order of the file.
pub(crate) fn features(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0;
    for line in lines(manifest, "features") {
        if depth == 0
            && let Some((name, _)) = line.split_once('=')
        {
            names.push(name.trim().trim_matches('"').to_string());
        }
        depth += line.matches('[').count();
        depth -= line.matches(']').count().min(depth);
    }
    names
}

/// The lines of `[section]` that are neither empty nor comments.
fn lines<'a>(manifest: &'a str, section: &str) -> impl Iterator<Item = &'a str> {
    let header = format!("[{section}]");
    let mut inside = false;
    manifest.lines().map(str::trim).filter(move |line| {
        // A line within a list may begin with `[` only in nested lists, which features do not have.
        if line.starts_with('[') {
            inside = *line == header;
            return false;
        }
        inside && !line.is_empty() && !line.starts_with('#')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"
[workspace.package]
rust-version = "1.88"

[features]
# All that most programs want.
default = ["macros"]
macros = [
    "dep:vivant-macros",
]
"full" = []

[dependencies]
other = "1"
"#;

    #[test]
    fn a_string_is_found_in_its_section_only() {
        assert_eq!(
            string(MANIFEST, "workspace.package", "rust-version").as_deref(),
            Some("1.88")
        );
        assert_eq!(string(MANIFEST, "features", "rust-version"), None);
    }

    #[test]
    fn features_are_named_whatever_they_hold() {
        assert_eq!(features(MANIFEST), ["default", "macros", "full"]);
        assert!(features("[package]\nname = \"a\"\n").is_empty());
    }
}
