//! Changes by which a later contract removes or narrows something.
//!
//! A request is narrowed if an accepted request is no longer accepted; a response, if a reader of
//! the earlier one can no longer read it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::facts::{Call, Contract, Schema, members, required};

/// Returns the changes from `old` to `new` that break callers, each with its location.
pub(super) fn narrowed(old: &Contract, new: &Contract) -> BTreeSet<String> {
    let (seen, changes) = (BTreeSet::new(), BTreeSet::new());
    let mut comparison = Comparison { old, new, seen, is_variant: false, changes };
    for (name, header) in &old.proofs {
        if new.proofs.get(name) != Some(header) {
            comparison.add(&format!("proof {name}"), "the header has another name");
        }
    }
    for (name, call) in &old.calls {
        match new.calls.iter().find(|(it, _)| shape_of(it) == shape_of(name)) {
            Some((_, later)) => comparison.call(name, call, later),
            None => comparison.add(name, "the call is gone"),
        }
    }
    comparison.changes
}

/// Returns a call's name without the names of path parameters, which callers never see.
fn shape_of(name: &str) -> Vec<&str> {
    name.split('/').map(|part| if part.starts_with('{') { "{}" } else { part }).collect()
}

/// The side that sends the compared value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sent {
    ByCallers,
    ByUs,
}

struct Comparison<'a> {
    old: &'a Contract,
    new: &'a Contract,
    /// Pairs of named schemas that were already compared.
    seen: BTreeSet<(&'a str, &'a str, Sent)>,
    /// Whether the next schemas are variants, whose null was already compared as a type of the
    /// whole.
    is_variant: bool,
    changes: BTreeSet<String>,
}

impl<'a> Comparison<'a> {
    fn add(&mut self, place: &str, change: &str) {
        self.changes.insert(format!("{place}: {change}"));
    }

    fn call(&mut self, name: &str, old: &'a Call, new: &'a Call) {
        let is_webhook = name.starts_with("webhook ");
        for proof in &old.proofs {
            if !new.proofs.is_empty() && !new.proofs.iter().any(|it| it.is_subset(proof)) {
                let proof: Vec<_> = proof.iter().map(String::as_str).collect();
                self.add(name, &format!("{} is no longer enough as proof", proof.join(" + ")));
            }
        }
        if old.proofs.is_empty() && !new.proofs.is_empty() {
            self.add(name, "needs a proof now");
        }
        self.parameters(name, old, new);
        if new.is_body_required && !old.is_body_required {
            self.add(name, "needs a body now");
        }
        let (place, sent) = match is_webhook {
            true => (format!("{name} body"), Sent::ByUs),
            false => (format!("{name} request"), Sent::ByCallers),
        };
        self.contents(&place, &old.bodies, &new.bodies, sent);
        for (status, answer) in &old.answers {
            match new.answers.get(status) {
                Some(later) => {
                    self.contents(&format!("{name} {status}"), answer, later, Sent::ByUs);
                }
                None => self.add(name, &format!("status {status} is gone")),
            }
        }
    }

    fn parameters(&mut self, name: &str, old: &'a Call, new: &'a Call) {
        for (parameter, it) in old.parameters.iter().filter(|(it, _)| !it.starts_with("path ")) {
            let place = format!("{name} {parameter}");
            match new.parameters.get(parameter) {
                Some(later) => self.schema(&place, &it.schema, &later.schema, Sent::ByCallers),
                None => self.add(&place, "is gone"),
            }
        }
        for (parameter, later) in new.parameters.iter().filter(|(_, it)| it.is_required) {
            let was_required = old.parameters.get(parameter).is_some_and(|it| it.is_required);
            if later.is_required && !was_required && !parameter.starts_with("path ") {
                self.add(&format!("{name} {parameter}"), "is required now");
            }
        }
    }

    fn contents(
        &mut self,
        place: &str,
        old: &'a BTreeMap<String, Schema>,
        new: &'a BTreeMap<String, Schema>,
        sent: Sent,
    ) {
        for (media, schema) in old {
            match new.get(media) {
                Some(later) => self.schema(place, schema, later, sent),
                None => self.add(place, &format!("{media} is gone")),
            }
        }
    }

    fn schema(&mut self, place: &str, old: &'a Schema, new: &'a Schema, sent: Sent) {
        let (old_name, new_name) = (name_of(old), name_of(new));
        let is_variant = std::mem::take(&mut self.is_variant);
        if let (Some(one), Some(other)) = (old_name, new_name)
            && !self.seen.insert((one, other, sent))
        {
            return;
        }
        let place = old_name.unwrap_or(place);
        let (old, new) = (Whole::of(self.old, old), Whole::of(self.new, new));
        self.types(place, &old, &new, sent, is_variant);
        if !old.variants.is_empty() || !new.variants.is_empty() {
            self.variants(place, &old, &new, sent);
        }
        if old.variants.is_empty() && !new.variants.is_empty() {
            return;
        }
        self.values(place, &old, &new, sent);
        if sent == Sent::ByCallers {
            self.bounds(place, &old, &new);
        }
        self.properties(place, &old, &new, sent);
        for key in ["items", "additionalProperties"] {
            if let (Some(one), Some(other)) = (old.get(key), new.get(key))
                && one.is_object()
                && other.is_object()
            {
                self.schema(&format!("{place}[]"), one, other, sent);
            }
        }
    }

    fn types(
        &mut self,
        place: &str,
        old: &Whole<'_>,
        new: &Whole<'_>,
        sent: Sent,
        is_variant: bool,
    ) {
        let (from, to) = match sent {
            Sent::ByCallers => (&old.types, &new.types),
            Sent::ByUs => (&new.types, &old.types),
        };
        let fits = |it: &&str| {
            let is_compared_before = is_variant && *it == "null";
            is_compared_before || to.contains(it) || (*it == "integer" && to.contains("number"))
        };
        let is_narrowed = !to.is_empty() && (from.is_empty() || !from.iter().all(fits));
        if is_narrowed {
            let change = format!("is {} now, was {}", names(&new.types), names(&old.types));
            self.add(place, &change);
        }
    }

    fn values(&mut self, place: &str, old: &Whole<'_>, new: &Whole<'_>, sent: Sent) {
        let Some(after) = new.get("enum").and_then(Value::as_array) else { return };
        match old.get("enum").and_then(Value::as_array) {
            Some(before) => {
                for value in before.iter().filter(|value| !after.contains(value)) {
                    self.add(place, &format!("the value {value} is gone"));
                }
            }
            None if sent == Sent::ByCallers => {
                self.add(place, &format!("takes only {} now", Value::from(after.clone())));
            }
            None => {}
        }
    }

    fn bounds(&mut self, place: &str, old: &Whole<'_>, new: &Whole<'_>) {
        for (key, is_upper) in BOUNDS {
            let bound = |of: &Whole<'_>| of.get(key).and_then(Value::as_f64);
            let (before, Some(after)) = (bound(old), bound(new)) else { continue };
            let is_narrowed =
                before.is_none_or(|it| if is_upper { after < it } else { after > it });
            if is_narrowed {
                let before = before.map_or_else(|| "none".to_owned(), |it| it.to_string());
                self.add(place, &format!("{key} is {after} now, was {before}"));
            }
        }
        for key in ["pattern", "format", "default"] {
            let (before, after) = (old.get(key), new.get(key));
            let is_wider = key == "format" && after.is_some_and(|it| it == "int64");
            let is_dropped = key != "default" && after.is_none();
            let is_added = key == "default" && before.is_none();
            if before == after || is_wider || is_dropped || is_added {
                continue;
            }
            let shown = |it: Option<&Value>| it.map_or("none".to_owned(), Value::to_string);
            self.add(place, &format!("{key} is {} now, was {}", shown(after), shown(before)));
        }
    }

    fn properties(&mut self, place: &str, old: &Whole<'a>, new: &Whole<'a>, sent: Sent) {
        for (name, schema) in &old.properties {
            let place = format!("{place}.{name}");
            match new.properties.get(name) {
                Some(later) => self.schema(&place, schema, later, sent),
                None => self.add(&place, "is gone"),
            }
        }
        let (from, to, change) = match sent {
            Sent::ByCallers => (&new.required, &old.required, "is required now"),
            Sent::ByUs => (&old.required, &new.required, "may be absent now"),
        };
        for name in from.difference(to) {
            if sent == Sent::ByCallers || new.properties.contains_key(name) {
                self.add(&format!("{place}.{name}"), change);
            }
        }
    }

    /// Compares variants: each old variant must have a compatible new one, and is compared with the
    /// one with the fewest changes.
    fn variants(&mut self, place: &str, old: &Whole<'a>, new: &Whole<'a>, sent: Sent) {
        let (befores, laters) = (old.variants_or_itself(), new.variants_or_itself());
        for (number, variant) in befores.iter().enumerate() {
            let place = match befores.len() {
                1 => place.to_owned(),
                _ => format!("{place}|{}", number + 1),
            };
            // Of equally good variants, the one at the same position is chosen.
            let laters = laters.iter().cycle().skip(number).take(laters.len());
            let tried = laters.map(|later| {
                let (old, new, seen) = (self.old, self.new, self.seen.clone());
                let changes = BTreeSet::new();
                let mut trial = Comparison { old, new, seen, is_variant: true, changes };
                trial.schema(&place, variant, later, sent);
                trial
            });
            if let Some(best) = tried.min_by_key(|trial| trial.changes.len()) {
                self.seen = best.seen;
                self.changes.extend(best.changes);
            }
        }
    }
}

/// Keys of limits, and whether they are upper limits.
const BOUNDS: [(&str, bool); 6] = [
    ("maxLength", true),
    ("maxItems", true),
    ("maximum", true),
    ("minLength", false),
    ("minItems", false),
    ("minimum", false),
];

fn names(types: &BTreeSet<&str>) -> String {
    match types.len() {
        0 => "anything".to_owned(),
        _ => types.iter().copied().collect::<Vec<_>>().join(" or "),
    }
}

fn name_of(schema: &Schema) -> Option<&str> {
    schema["$ref"].as_str()
}

/// Returns the schema to which a reference resolves, or the schema itself.
fn resolved<'a>(contract: &'a Contract, schema: &'a Schema) -> &'a Schema {
    let find = |name| contract.schemas.get(name).expect("a schema of this name");
    name_of(schema).map_or(schema, find)
}

fn types_of(schema: &Schema) -> impl Iterator<Item = &str> {
    let one = std::slice::from_ref(&schema["type"]);
    schema["type"].as_array().map_or(one, Vec::as_slice).iter().filter_map(Value::as_str)
}

/// A schema merged with its `allOf` parts and the types of its variants. Null as a variant counts
/// as a type.
struct Whole<'a> {
    itself: &'a Schema,
    /// Types, including those of all variants; empty if any type is allowed.
    types: BTreeSet<&'a str>,
    properties: BTreeMap<&'a str, &'a Schema>,
    required: BTreeSet<&'a str>,
    variants: Vec<&'a Schema>,
    /// The schemas that were merged.
    parts: Vec<&'a Schema>,
}

impl<'a> Whole<'a> {
    fn of(contract: &'a Contract, itself: &'a Schema) -> Self {
        let mut whole = Self {
            itself,
            types: BTreeSet::new(),
            properties: BTreeMap::new(),
            required: BTreeSet::new(),
            variants: Vec::new(),
            parts: Vec::new(),
        };
        whole.add(contract, itself);
        whole
    }

    fn add(&mut self, contract: &'a Contract, schema: &'a Schema) {
        let schema = resolved(contract, schema);
        self.parts.push(schema);
        self.types.extend(types_of(schema));
        self.properties
            .extend(members(&schema["properties"]).map(|(name, it)| (name.as_str(), it)));
        self.required.extend(required(schema));
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.add(contract, part);
        }
        for variant in ["oneOf", "anyOf"].iter().filter_map(|key| schema[key].as_array()).flatten()
        {
            self.types.extend(types_of(resolved(contract, variant)));
            if variant["type"] != "null" {
                self.variants.push(variant);
            }
        }
    }

    fn variants_or_itself(&self) -> &[&'a Schema] {
        if self.variants.is_empty() { std::slice::from_ref(&self.itself) } else { &self.variants }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.parts.iter().find_map(|part| part.get(key))
    }
}
