//! A `Result` behind an alias: macros read types by their names.

use super::{CONTAINERS, generic, is_one_of, text};
use crate::types::promised;
use syn::{GenericArgument, Type};

/// The type to write in the place of one with a promise as its only argument, which may be an alias
/// of `Result`: `Result<Promise<u64>, anyhow::Error>` for `anyhow::Result<Promise<u64>>`.
pub(crate) fn written_out(ty: &Type) -> Option<String> {
    let (name, arguments) = generic(ty)?;
    let (Some(GenericArgument::Type(promise)), 1) = (arguments.args.first(), arguments.args.len())
    else {
        return None;
    };
    promised(promise)?;
    if name != "Result" && is_one_of(name, CONTAINERS) {
        return None;
    }
    let error = match ty {
        Type::Path(path) if path.path.segments.len() > 1 => {
            let mut error = path.path.clone();
            error.segments.pop();
            format!("{}Error", text(&error))
        }
        _ => "E".to_owned(),
    };
    Some(format!("Result<{}, {error}>", text(promise)))
}
