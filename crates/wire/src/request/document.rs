//! What the OpenAPI document says about a request.

use serde_json::Value;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{RefOr, Required};

use crate::fields::kind::Field;

/// Room for the fields of most requests without growing.
const FIELDS_EXPECTED: usize = 8;

/// A field, or several of another request.
pub(crate) enum Part {
    Field(FieldShape),
    Group(&'static [Part]),
}

/// What is known of a field before it comes.
pub(crate) struct FieldShape {
    pub(super) name: &'static str,
    pub(super) also: Option<&'static str>,
    docs: &'static [&'static str],
    is_required: bool,
    schema: fn() -> Schema,
    example: Option<&'static str>,
    pattern: Option<&'static str>,
    default: Option<fn() -> Value>,
}

impl FieldShape {
    pub(crate) const fn of<K: Field>(name: &'static str, docs: &'static [&'static str]) -> Self {
        let (name, schema, is_required) = (plain_name(name), K::schema as fn() -> Schema, false);
        let (also, example, pattern, default) = (None, None, None, None);
        Self { name, also, docs, is_required, schema, example, pattern, default }
    }

    pub(crate) const fn shown_as_required(self, is_required: bool) -> Self {
        Self { is_required, ..self }
    }

    pub(crate) const fn also(self, name: &'static str) -> Self {
        Self { also: Some(name), ..self }
    }

    pub(crate) const fn example(self, example: &'static str) -> Self {
        Self { example: Some(example), ..self }
    }

    pub(crate) const fn pattern(self, pattern: &'static str) -> Self {
        Self { pattern: Some(pattern), ..self }
    }

    pub(crate) const fn default(self, default: fn() -> Value) -> Self {
        Self { default: Some(default), ..self }
    }

    /// As one of an object's properties: what may be absent may be null.
    fn property(&self) -> Schema {
        let (null, example) = (!self.is_required, self.example.map(Value::from));
        let mut schema = self.bare_schema();
        match &mut schema {
            Schema::Object(object) => {
                object.description = Some(description(self.docs));
                object.example = example;
                object.schema_type = or_null(object.schema_type.clone(), null);
            }
            Schema::Array(array) => {
                array.description = Some(description(self.docs));
                array.schema_type = or_null(array.schema_type.clone(), null);
            }
            _ => {}
        }
        schema
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
            .example(self.example.map(Value::from))
            .build()
    }

    /// Without what is said around it.
    fn bare_schema(&self) -> Schema {
        let mut schema = (self.schema)();
        if let Schema::Object(object) = &mut schema {
            object.default = self.default.map(|default| default());
            object.pattern = self.pattern.map(str::to_owned).or(object.pattern.take());
        }
        schema
    }
}

/// The name of a field whose name in Rust may begin with `r#`.
pub(crate) const fn plain_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// All fields, those of groups included.
pub(super) fn shapes(parts: &'static [Part]) -> Vec<&'static FieldShape> {
    let mut found = Vec::with_capacity(FIELDS_EXPECTED);
    add_shapes(parts, &mut found);
    found
}

/// Whether a request has a field of this name.
pub(crate) fn is_field(parts: &'static [Part], name: &str) -> bool {
    shapes(parts).iter().any(|it| it.name == name || it.also.is_some_and(|also| also == name))
}

fn add_shapes(parts: &'static [Part], found: &mut Vec<&'static FieldShape>) {
    for part in parts {
        match part {
            Part::Field(shape) => found.push(shape),
            Part::Group(parts) => add_shapes(parts, found),
        }
    }
}

/// A request as a body.
pub(crate) fn schema(about: &[&str], parts: &'static [Part]) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new().description(Some(description(about)));
    for shape in shapes(parts) {
        object = object.property(shape.name, shape.property());
        if shape.is_required {
            object = object.required(shape.name);
        }
    }
    object.into()
}

/// A request as a query.
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
