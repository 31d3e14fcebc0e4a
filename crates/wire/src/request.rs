//! The [`request!`] macro, which declares the fields of a request once and derives its struct, a
//! parser that reports every problem, and its part of the OpenAPI document.

#[cfg(feature = "document")]
pub(crate) use document::{parameters, schema};
pub(crate) use given_fields::{FieldSelection, GivenFields, Request};
pub(crate) use parts::{FieldShape, Part, field_names, is_field};

#[cfg(feature = "document")]
mod document;
mod given_fields;
mod parts;
mod spelling;

/// Declares a request. A field has a type from `crate::fields` and one of these modes:
///
/// - `required`: its absence is a problem;
/// - `optional`: its value is an `Option`;
/// - `or …`: the default if the field is absent or invalid;
/// - `group`: another request, whose fields are added to this one's.
///
/// `also` gives a field a second name. `example`, `pattern`, `default` and `shown_as_required` only
/// affect the OpenAPI document, where the last one overrides the mode. Fields under `unread` are
/// documented but not parsed. `as "…"` allows the request to be a body and names its schema; any
/// request can be a query.
macro_rules! request {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $request:ident $(as $name:literal)? {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $kind:ty, $mode:ident $($default:expr)?
                $(, $attribute:ident = $value:expr)*;
            )*
        }
        $(unread {
            $(
                $(#[doc = $unread_doc:literal])*
                $unread:ident: $unread_kind:ty, $unread_mode:ident
                $(, $unread_attribute:ident = $unread_value:expr)*;
            )*
        })?
    ) => {
        $(#[doc = $about])*
        $vis struct $request {
            $($(#[doc = $doc])* $field: $crate::request::request!(@value $mode $kind),)*
        }

        impl $crate::request::Request for $request {
            const PARTS: &'static [$crate::request::Part] = &[
                $($crate::request::request!(
                    @part $mode $field $kind, [$($doc),*] $($attribute = $value),*
                ),)*
                $($($crate::request::request!(
                    @part $unread_mode $unread $unread_kind, [$($unread_doc),*]
                    $($unread_attribute = $unread_value),*
                ),)*)?
            ];

            fn read(
                fields: &$crate::request::GivenFields<'_>,
                reading: &mut $crate::reading::FieldReader,
            ) -> Option<Self> {
                $(let $field = $crate::request::request!(
                    @read $mode $field $kind, fields, reading $(, $default)?
                );)*
                Some(Self { $($field: $crate::request::request!(@taken $mode $field),)* })
            }
        }

        #[cfg(feature = "document")]
        impl utoipa::IntoParams for $request {
            fn into_params(
                _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                $crate::request::parameters(<Self as $crate::request::Request>::PARTS)
            }
        }

        #[cfg(feature = "document")]
        impl utoipa::PartialSchema for $request {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let parts = <Self as $crate::request::Request>::PARTS;
                $crate::request::schema(&[$($about),*], parts)
            }
        }

        $(#[cfg(feature = "document")]
        impl utoipa::ToSchema for $request {
            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
        })?
    };

    (@value required $kind:ty) => { <$kind as $crate::fields::kind::Field>::Value };
    (@value optional $kind:ty) => { Option<<$kind as $crate::fields::kind::Field>::Value> };
    (@value or $kind:ty) => { <$kind as $crate::fields::kind::Field>::Value };
    (@value group $group:ty) => { $group };

    (@part group $field:ident $group:ty, []) => {
        $crate::request::Part::Group(<$group as $crate::request::Request>::PARTS)
    };
    (
        @part required $field:ident $kind:ty, [$($doc:literal),*]
        $($attribute:ident = $value:expr),*
    ) => {
        $crate::request::Part::Field(
            $crate::request::FieldShape::of::<$kind>(stringify!($field), &[$($doc),*])
                .shown_as_required(true)$(.$attribute($value))*
        )
    };
    (
        @part $mode:ident $field:ident $kind:ty, [$($doc:literal),*]
        $($attribute:ident = $value:expr),*
    ) => {
        $crate::request::Part::Field(
            $crate::request::FieldShape::of::<$kind>(stringify!($field), &[$($doc),*])
                $(.$attribute($value))*
        )
    };

    (@read group $field:ident $group:ty, $fields:ident, $reading:ident) => {
        <$group as $crate::request::Request>::read($fields, $reading)
    };
    (@read required $field:ident $kind:ty, $fields:ident, $reading:ident) => {
        $fields.needed::<$kind>(stringify!($field), $reading)
    };
    (@read optional $field:ident $kind:ty, $fields:ident, $reading:ident) => {
        $fields.value::<$kind>(stringify!($field), $reading)
    };
    (@read or $field:ident $kind:ty, $fields:ident, $reading:ident, $default:expr) => {
        $fields.value::<$kind>(stringify!($field), $reading).unwrap_or($default)
    };

    (@taken group $field:ident) => { $field? };
    (@taken required $field:ident) => { $field? };
    (@taken $mode:ident $field:ident) => { $field };
}

pub(crate) use request;
