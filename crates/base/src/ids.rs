//! Indices of different things have different types, so that swapped arguments do not compile.

/// Declares a `u32` index type with `new`, `index` and the usual derives.
///
/// ```
/// tertium_base::id_type! {
///     /// A wheel of one car.
///     pub struct WheelId;
/// }
/// assert_eq!(WheelId::new(3).index(), 3);
/// ```
#[macro_export]
macro_rules! id_type {
    ($(#[$meta:meta])* $vis:vis struct $name:ident;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis struct $name(u32);

        impl $name {
            /// The id with this index.
            ///
            /// # Panics
            /// If the index has more than 32 bits, which is a fault of the caller, who must have bounded the table that the
            /// id points into.
            #[inline]
            #[must_use]
            #[track_caller]
            pub const fn new(index: usize) -> Self {
                Self($crate::narrow::to_u32(index))
            }

            /// The same as `index`, as it is stored.
            #[inline]
            #[must_use]
            #[allow(dead_code, reason = "not every table stores its ids in numbers")]
            pub const fn number(self) -> u32 {
                self.0
            }

            /// The position in the table that this id points into.
            #[inline]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
