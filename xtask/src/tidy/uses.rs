//! The full paths that the `use` items of a file name: `use a::{b, c::{d as e, *}};` is `a::b`,
//! `a::c::d`, `a::c::*`.

use syn::visit::{self, Visit};
use syn::{File, ItemUse, UseTree};

/// Each path with the line of its `use`.
pub(super) fn paths(file: &File) -> Vec<(usize, String)> {
    let mut found = Paths(Vec::new());
    found.visit_file(file);
    found.0
}

struct Paths(Vec<(usize, String)>);

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.expand(item.use_token.span.start().line, "", &item.tree);
        visit::visit_item_use(self, item);
    }
}

impl Paths {
    fn expand(&mut self, line: usize, prefix: &str, tree: &UseTree) {
        let mut found = |name: &dyn ToString| {
            let path = format!("{prefix}{}", name.to_string());
            self.0.push((line, path));
        };
        match tree {
            UseTree::Name(tree) => found(&tree.ident),
            UseTree::Rename(tree) => found(&tree.ident),
            UseTree::Glob(_) => found(&"*"),
            UseTree::Path(tree) => {
                self.expand(line, &format!("{prefix}{}::", tree.ident), &tree.tree);
            }
            UseTree::Group(group) => {
                let trees = group.items.iter();
                trees.for_each(|tree| self.expand(line, prefix, tree));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    fn paths(code: &str) -> Vec<(usize, String)> {
        super::paths(&syn::parse_file(code).unwrap())
    }

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
