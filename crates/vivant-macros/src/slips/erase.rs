//! Types without a brand.

use syn::Lifetime;
use syn::visit_mut::VisitMut;

/// Replaces a brand with `'static`.
pub(super) struct Erase<'a> {
    brand: &'a Lifetime,
    /// The first that was replaced.
    pub(super) first: Option<Lifetime>,
}

impl<'a> Erase<'a> {
    pub(super) fn of(brand: &'a Lifetime) -> Erase<'a> {
        Erase { brand, first: None }
    }
}

impl VisitMut for Erase<'_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == self.brand.ident {
            self.first.get_or_insert_with(|| lifetime.clone());
            *lifetime = Lifetime::new("'static", lifetime.span());
        }
    }
}
