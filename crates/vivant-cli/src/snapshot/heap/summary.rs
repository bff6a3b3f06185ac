//! [`Summary`]: how many objects a heap has of each type.

use super::object_name::ObjectName;
use super::objects::Heap;
use super::reach::{Lives, Reach};
use std::cmp::Reverse;
use vivant_codec::type_text;

/// The objects of a heap by their types.
pub(super) struct Summary {
    /// The types that have objects, those that take the most memory first.
    pub(super) types: Vec<TypeSummary>,
    pub(super) all: Amount,
    pub(super) reached: Amount,
    /// What is reached by weak references alone.
    pub(super) weakly: Amount,
}

/// The objects of one type.
pub(super) struct TypeSummary {
    pub(super) type_name: String,
    pub(super) all: Amount,
    pub(super) reached: Amount,
    pub(super) weakly: Amount,
    /// The object with the longest content, and the bytes of that.
    pub(super) largest: (ObjectName, u32),
}

/// A number of objects, and bytes of their blocks.
#[derive(Clone, Copy, Default)]
pub(super) struct Amount {
    pub(super) objects: u64,
    pub(super) memory: u64,
}

impl Amount {
    fn add(&mut self, memory: u32) {
        self.objects += 1;
        self.memory += u64::from(memory);
    }
}

impl Summary {
    pub(super) fn of(heap: &Heap<'_>, reach: &Reach) -> Summary {
        let mut types: Vec<Option<TypeSummary>> = Vec::new();
        types.resize_with(heap.types(), || None);
        let amount = Amount::default();
        let (mut all, mut reached, mut weakly) = (amount, amount, amount);
        for (at, object) in heap.objects().iter().enumerate() {
            let of_type = &mut types[object.object_type as usize];
            let of_type = of_type.get_or_insert_with(|| TypeSummary {
                type_name: type_text(heap.file.shapes(), heap.shape(object.object_type)),
                all: amount,
                reached: amount,
                weakly: amount,
                largest: (object.name, object.bytes),
            });
            for amount in [&mut all, &mut of_type.all] {
                amount.add(object.memory);
            }
            let amounts = match reach.lives(at) {
                Lives::Strongly => Some([&mut reached, &mut of_type.reached]),
                Lives::Weakly => Some([&mut weakly, &mut of_type.weakly]),
                Lives::Unreached => None,
            };
            for amount in amounts.into_iter().flatten() {
                amount.add(object.memory);
            }
            if object.bytes > of_type.largest.1 {
                of_type.largest = (object.name, object.bytes);
            }
        }
        let mut types: Vec<TypeSummary> = types.into_iter().flatten().collect();
        types.sort_by_key(|it| Reverse(it.all.memory));
        Summary {
            types,
            all,
            reached,
            weakly,
        }
    }
}
