//! The table of an interface's impl, through which the interface reaches this actor's behaviours.

use super::Written;
use super::block::Block;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

/// A behaviour that implements a message of the interface.
pub(super) struct Row {
    pub(super) method: String,
    pub(super) path: TokenStream,
}

/// The table's rows are matched by name: the trait may have the methods in another order.
pub(super) fn write(
    block: &Block<'_>,
    interface: &Path,
    mut rows: Vec<Row>,
    written: &mut Written,
) {
    rows.sort_by(|a, b| a.method.cmp(&b.method));
    let (vivant, cfgs, actor) = (&block.options.vivant, &block.cfgs, &block.actor);
    let (impl_generics, _, where_clause) = block.generics.split_for_impl();
    let rows = rows.iter().map(|row| &row.path);
    // A message of another shape is reported at the interface's name.
    let span = interface.span();
    let here = block.options.vivant.at(span);
    let entries = rows.map(|row| quote_spanned!(span=> #here::Entry::of::<#row>()));
    let listed = written.kinds.messages.clone();
    written.impls.extend(quote! {
        #(#cfgs)*
        #[automatically_derived]
        #[allow(unused_qualifications)]
        impl #impl_generics #vivant::Implements<dyn #interface> for #actor #where_clause {
            const TABLE: <dyn #interface as #vivant::Target>::Table =
                &<dyn #interface>::__vivant_table(#(#entries),*);
            #[inline]
            fn list_messages(list: &mut #vivant::__private::SavedList) {
                let _ = &list;
                #listed
            }
        }
    });
}
