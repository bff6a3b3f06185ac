//! Y1: what lies in a parcel has a brand of its own, while somebody looks at it.

use vivant_heap::*;

struct Texts;
impl Root for Texts {
    type Of<'gc> = Vec<Val<'gc, str>>;
}

type Text = Val<'static, str>;

fn kept(parcel: Parcel<Text>) {
    let mut kept = None;
    parcel.look(|text| kept = Some(*text));
    let _read: &str = parcel.look(|text| Val::as_ref(*text));
    parcel.open(|text| text);
}

fn mixed(parcel: Parcel<Text>, other: Parcel<Text>, heap: &mut Heap<Texts>) {
    heap.turn(|m, texts| {
        parcel.look(|text| texts.push(*text));
        parcel.look(|text| m.hold(*text));
        other.open(|text| m.val_slice([text]));
    });
    parcel.look(|one| other.look(|two| Val::ptr_eq(*one, *two)));
}

fn opened_while_looked_at(parcel: Parcel<Text>) {
    parcel.look(|_| parcel.open(|_| ()));
}

fn main() {}
