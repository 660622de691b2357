//! Macros for methods that panic where a `try_` method returns an error, and for `Debug`.

/// Declares a method that panics where its `try_` method returns an error: `Type: new = try_new(…)`.
macro_rules! or_panics {
    (
        $(#[$docs:meta])*
        $type:ident: $name:ident $(<const $n:ident: usize>)? = $twin:ident($($arg:ident $(: $of:ty)?),*) $(where $($bounds:tt)+)?
    ) => {
        $(#[$docs])*
        #[doc = concat!("\n# Panics\n\nWhere [`", stringify!($twin), "`](Self::", stringify!($twin), ") returns an error.")]
        #[must_use]
        #[track_caller]
        pub fn $name $(<const $n: usize>)? ($($arg $(: $of)?),*) -> Self
        $(where $($bounds)+)?
        {
            $crate::error::or_panic(stringify!($type), Self::$twin($($arg),*))
        }
    };
    (
        $(#[$attrs:meta])*
        $type:ident: $name:ident = $twin:ident(&mut $this:ident, $($arg:ident: $of:ty),*) -> $out:ty
    ) => {
        $(#[$attrs])*
        #[doc = concat!("\n# Panics\n\nWhere [`", stringify!($twin), "`](Self::", stringify!($twin), ") returns an error.")]
        #[track_caller]
        pub fn $name(&mut $this, $($arg: $of),*) -> $out {
            $crate::error::or_panic(stringify!($type), $this.$twin($($arg),*))
        }
    };
}
pub(crate) use or_panics;

/// Implements `Debug` for a type with too many fields to show, by its name and some values.
macro_rules! shown_as {
    (impl[$($generics:tt)*] $type:ty as $name:literal $(, |$this:ident| $($field:ident: $value:expr),+)?) => {
        impl<$($generics)*> core::fmt::Debug for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let mut shown = f.debug_struct($name);
                $(
                    let $this = self;
                    $(shown.field(stringify!($field), &$value);)+
                )?
                shown.finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use shown_as;
