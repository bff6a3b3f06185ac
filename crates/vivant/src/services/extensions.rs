//! [`Extensions`]: the parts of a system that folders above its services keep in it, by their
//! types.

use std::any::Any;
use std::sync::OnceLock;

/// One value of each type, made when it is first asked for. A lookup walks a list that is as long
/// as there are such types, so it is for cold paths: a loop keeps the reference.
#[derive(Default)]
pub(crate) struct Extensions {
    first: OnceLock<Box<Extension>>,
}

struct Extension {
    part: Box<dyn Any + Send + Sync>,
    next: OnceLock<Box<Extension>>,
}

impl Extensions {
    /// Returns the part of this type. It lives as long as the system.
    pub(crate) fn part<T: Any + Default + Send + Sync>(&self) -> &T {
        let mut place = &self.first;
        loop {
            let extension = place.get_or_init(|| {
                Box::new(Extension {
                    part: Box::new(T::default()),
                    next: OnceLock::new(),
                })
            });
            if let Some(part) = extension.part.downcast_ref() {
                return part;
            }
            place = &extension.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_part() {
        let extensions = Extensions::default();
        let first: *const String = extensions.part::<String>();
        let second: *const Vec<u8> = extensions.part::<Vec<u8>>();
        assert!(std::ptr::eq(first, extensions.part::<String>()));
        assert!(std::ptr::eq(second, extensions.part::<Vec<u8>>()));
    }
}
