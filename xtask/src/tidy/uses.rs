//! The full paths that the `use` items of a file name: `use a::{b, c::{d as e, *}};` is `a::b`,
//! `a::c::d`, `a::c::*`.

use super::code::{line_of, words_at};

/// Each path with the line of its `use`. `code` has no comments and no literals.
pub(super) fn paths(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for at in words_at(code, "use") {
        let tree = &code[at + "use".len()..];
        // Of `impl Trait + use<'a>` nothing is left here: no path begins with `<`.
        let Some(end) = tree
            .find(';')
            .filter(|_| !tree.trim_start().starts_with('<'))
        else {
            continue;
        };
        let mut paths = Vec::new();
        expand("", &tree[..end], &mut paths);
        let line = line_of(code, at);
        found.extend(paths.into_iter().map(|path| (line, path)));
    }
    found
}

fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    match tree.split_once('{') {
        None => {
            let path = tree.split_whitespace().next().unwrap_or_default();
            if !path.is_empty() {
                paths.push(format!("{prefix}{path}"));
            }
        }
        Some((head, group)) => {
            let prefix = format!("{prefix}{}", head.trim());
            let group = group.trim_end().strip_suffix('}').unwrap_or(group);
            for branch in branches(group) {
                expand(&prefix, branch, paths);
            }
        }
    }
}

/// The parts between the commas that stand outside all braces.
fn branches(group: &str) -> Vec<&str> {
    let mut depth = 0;
    group
        .split(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::paths;

    fn names(code: &str) -> Vec<String> {
        paths(code).into_iter().map(|(_, path)| path).collect()
    }

    #[test]
    fn trees_are_expanded() {
        assert_eq!(names("use a::b;"), ["a::b"]);
        assert_eq!(
            names("pub(crate) use a::{self, b, c::{d as e,\n    *}, f};"),
            ["a::self", "a::b", "a::c::d", "a::c::*", "a::f"]
        );
    }

    #[test]
    fn lines_are_those_of_the_item() {
        assert_eq!(paths("fn f() {}\nuse x::y;\n"), [(2, "x::y".to_string())]);
    }

    #[test]
    fn a_capture_is_no_import() {
        assert_eq!(
            names("fn f<'a>() -> impl Sized + use<'a> { g(); }"),
            [""; 0]
        );
    }
}
