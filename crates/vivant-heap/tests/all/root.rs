//! Roots of heaps.

/// Declares the type of a heap's state: `root!(Numbers = Vec<Gc<'gc, Mut<u64>>>)`.
macro_rules! root {
    ($vis:vis $name:ident = $of:ty) => {
        $vis struct $name;
        impl vivant_heap::Root for $name {
            type Of<'gc> = $of;
        }
    };
}
