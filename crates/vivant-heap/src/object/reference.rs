//! The common part of [`Gc`](crate::Gc) and [`Val`](crate::Val): one `Copy` pointer to the value of
//! an object, with a brand.

macro_rules! reference {
    ($name:ident, $what_it_may_refer_to:literal) => {
        impl<T: ?Sized> Clone for $name<'_, T> {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T: ?Sized> Copy for $name<'_, T> {}

        impl<'gc, T: ?Sized> $name<'gc, T> {
            /// # Safety
            ///
            #[doc = $what_it_may_refer_to]
            #[inline]
            pub(crate) unsafe fn at(value: NonNull<T>) -> $name<'gc, T> {
                $name {
                    value,
                    brand: PhantomData,
                }
            }

            #[inline]
            pub(crate) fn pointer(this: Self) -> NonNull<T> {
                this.value
            }

            #[inline]
            pub(crate) fn header(self) -> NonNull<Header> {
                // SAFETY: it refers to an object, by the contract of `at`.
                unsafe { Header::before(self.value) }
            }

            /// Whether both refer to the same object.
            #[inline]
            #[must_use]
            pub fn ptr_eq(this: Self, other: Self) -> bool {
                std::ptr::addr_eq(this.value.as_ptr(), other.value.as_ptr())
            }
        }

        impl<T: ?Sized> Deref for $name<'_, T> {
            type Target = T;
            #[inline]
            fn deref(&self) -> &T {
                $name::as_ref(*self)
            }
        }

        impl<T: ?Sized + fmt::Debug> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}
pub(crate) use reference;
