//! The OpenAPI schema and parameters of a request.

use serde_json::Value;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{
    AnyOfBuilder, ArrayBuilder, ArrayItems, KnownFormat, ObjectBuilder, Schema, SchemaFormat,
    SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr, Required};

use super::parts::{FieldShape, Part, shapes};
use crate::fields::shape::{Items, Shape};

impl FieldShape {
    /// Returns the schema of the field as an object's property. An optional property may be null.
    fn property(&self) -> Schema {
        let (null, example) = (!self.is_required, self.sample());
        let mut schema = self.bare_schema();
        match &mut schema {
            Schema::Object(object) => {
                object.description = Some(description(self.docs));
                object.example = example;
                object.schema_type = or_null(object.schema_type.clone(), null);
                if let Some(values) = object.enum_values.as_mut().filter(|_| null) {
                    values.push(Value::Null);
                }
            }
            Schema::Array(array) => {
                array.description = Some(description(self.docs));
                array.example = example;
                array.schema_type = or_null(array.schema_type.clone(), null);
            }
            Schema::AnyOf(any) => {
                any.description = Some(description(self.docs));
                if null {
                    any.items.push(ObjectBuilder::new().schema_type(Type::Null).into());
                }
            }
            _ => {}
        }
        schema
    }

    /// Returns the example as JSON.
    fn sample(&self) -> Option<Value> {
        let example = self.example?;
        let text = || Value::from(example);
        Some(match self.shape {
            Shape::Text { .. } | Shape::OneOf(_) => text(),
            _ => serde_json::from_str(example).unwrap_or_else(|_| text()),
        })
    }

    /// Returns the field's value in the example of a whole body; `None` omits the field. If the
    /// body had no example, Swagger UI would fill in "string", even for passwords and ids that must
    /// be unique.
    fn sample_in_body(&self) -> Option<Value> {
        let empty = || match self.shape {
            Shape::Text { .. } | Shape::OneOf(_) => "".into(),
            Shape::Flag => true.into(),
            Shape::Integer { .. } => 1.into(),
            Shape::Object | Shape::AnyOf(_) => Value::Object(serde_json::Map::new()),
            Shape::List { .. } => Value::Array(Vec::new()),
        };
        self.sample().or_else(|| self.is_required.then(empty))
    }

    fn parameter(&self) -> Parameter {
        let schema = self.bare_schema();
        let name = match &schema {
            Schema::Array(_) => format!("{}[]", self.name),
            _ => self.name.to_owned(),
        };
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Query)
            .description(Some(description(self.docs)))
            .required(if self.is_required { Required::True } else { Required::False })
            .schema(Some(schema))
            .example(self.sample())
            .build()
    }

    /// Returns the schema without description and example.
    fn bare_schema(&self) -> Schema {
        let mut schema = schema_of(self.shape);
        if let Schema::Object(object) = &mut schema {
            object.default = self.default.map(|default| default());
            object.pattern = self.pattern.map(str::to_owned).or(object.pattern.take());
        }
        schema
    }
}

/// Returns the schema of a kind of field.
fn schema_of(shape: Shape) -> Schema {
    let object = ObjectBuilder::new;
    match shape {
        Shape::Text { chars_min, chars_max, pattern } => {
            let text = object().schema_type(Type::String).pattern(pattern);
            text.min_length(chars_min).max_length(chars_max).into()
        }
        Shape::OneOf(values) => {
            let values = values.iter().copied();
            object().schema_type(Type::String).enum_values(Some(values)).into()
        }
        Shape::Flag => object().schema_type(Type::Boolean).into(),
        Shape::Integer { within } => {
            let is_small = within.is_some_and(|(_, most)| i32::try_from(most).is_ok());
            let format = if is_small { KnownFormat::Int32 } else { KnownFormat::Int64 };
            let (least, most) = within.unzip();
            let integer = integer(format);
            integer.minimum(least).maximum(most).into()
        }
        Shape::Object => object().into(),
        Shape::AnyOf(names) => {
            let named = names.iter().copied().map(Ref::from_schema_name);
            named.fold(AnyOfBuilder::new(), |any, it| any.item(it)).item(object()).into()
        }
        Shape::List { items, items_min, items_max } => {
            let list = ArrayBuilder::new().items(items_of(items));
            list.min_items(items_min).max_items(items_max).into()
        }
    }
}

fn items_of(items: Items) -> ArrayItems {
    match items {
        Items::Texts => ObjectBuilder::new().schema_type(Type::String).into(),
        Items::Integers => integer(KnownFormat::Int64).into(),
        Items::Named(name) => Ref::from_schema_name(name).into(),
    }
}

fn integer(format: KnownFormat) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).format(Some(SchemaFormat::KnownFormat(format)))
}

/// Returns the schema of a request body.
pub(crate) fn schema(about: &[&str], parts: &'static [Part]) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new().description(Some(description(about)));
    for shape in shapes(parts) {
        object = object.property(shape.name, shape.property());
        if shape.is_required {
            object = object.required(shape.name);
        }
    }
    let samples = shapes(parts).into_iter().filter_map(|it| Some((it.name, it.sample_in_body()?)));
    let mut object = object.build();
    object.example = Some(samples.collect());
    Schema::Object(object).into()
}

/// Returns the parameters of a request's query.
pub(crate) fn parameters(parts: &'static [Part]) -> Vec<Parameter> {
    shapes(parts).into_iter().map(FieldShape::parameter).collect()
}

fn description(docs: &[&str]) -> String {
    docs.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn or_null(schema_type: SchemaType, null: bool) -> SchemaType {
    match schema_type {
        SchemaType::Type(one) if null => [one, Type::Null].into_iter().collect(),
        other => other,
    }
}
