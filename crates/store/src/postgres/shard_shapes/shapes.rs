//! Shapes of statements that Citus rejects or plans over every shard.
//!
//! Reference tables have the same rows on each worker, and so do intermediate results: here these
//! "recur". Citus pushes a query to the shards if each distributed table is joined to the others by
//! its distribution column. It finds the shards of each table by that table's own conditions: a
//! constant also applies to columns equal to it, a list (`= ANY`) does not.

use std::collections::{BTreeSet, HashMap};

use super::sql_tree::{Node, Query, Relation, Select, Source, has_word, statement};

/// A problem of a statement on Citus.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// No condition restricts the shards of this distributed table.
    AllShards(String),
    /// A correlated subquery over distributed tables runs for each row that recurs.
    QueryForEachRow,
    /// A `LATERAL` subquery with a `LIMIT`, or another one whose results the coordinator must
    /// combine, runs for each row that recurs.
    PartForEachRow,
    /// This table is the optional side of a join, but is not joined to another distributed table by
    /// the distribution columns of both.
    JoinedToWhatRecurs(String),
    /// This distributed table is not joined to the others by its distribution column.
    NotJoinedByKey(String),
    /// This table is only on the coordinator and is joined to tables on workers.
    BesideTheCoordinators(String),
    /// The statement may lock rows of several shards at once.
    LocksManyShards,
}

/// Distribution of the tables by Citus.
pub struct Layout {
    /// Distribution column of each distributed table, and the table with which it is colocated.
    distributed: HashMap<String, (String, String)>,
    reference: BTreeSet<String>,
}

impl Layout {
    /// Parses the calls of Citus functions that distribute the tables.
    pub fn read(calls: &str) -> Self {
        let mut layout = Self { distributed: HashMap::new(), reference: BTreeSet::new() };
        for call in calls.lines().filter_map(|line| line.strip_prefix("SELECT create_")) {
            let quoted: Vec<_> = call.split('\'').skip(1).step_by(2).map(str::to_owned).collect();
            match (&quoted[..], call.starts_with("reference_table")) {
                ([table], true) => drop(layout.reference.insert(table.clone())),
                ([table, column], false) => {
                    layout.distributed.insert(table.clone(), (column.clone(), table.clone()));
                }
                ([table, column, beside], false) => {
                    let beside = if beside == "none" { table } else { beside };
                    layout.distributed.insert(table.clone(), (column.clone(), beside.clone()));
                }
                _ => panic!("a call that is not understood: {call}"),
            }
        }
        assert!(layout.distributed.len() > 20 && layout.reference.len() > 10, "all were read");
        layout
    }

    /// Returns all problems of a statement.
    pub fn shapes(&self, text: &str) -> BTreeSet<Shape> {
        let mut found = FoundShapes { layout: self, named: Vec::new(), shapes: BTreeSet::new() };
        if let Some(statement) = statement(text) {
            found.visit_query(&statement, &[]);
            // A single worker runs anything that concerns one of its shards.
            if found.constants(&statement).is_some_and(|constants| constants.len() == 1) {
                return BTreeSet::new();
            }
        }
        found.shapes
    }

    fn column(&self, table: &str) -> Option<&str> {
        self.distributed.get(table).map(|(column, _)| column.as_str())
    }
}

struct FoundShapes<'a> {
    layout: &'a Layout,
    named: Vec<String>,
    shapes: BTreeSet<Shape>,
}

impl FoundShapes<'_> {
    fn visit_query(&mut self, query: &Query, outer: &[&Select]) {
        for (name, named) in &query.named {
            self.named.push(name.clone());
            self.visit_query(named, outer);
        }
        for select in &query.selects {
            self.visit_select(select, outer);
        }
    }

    fn visit_select(&mut self, select: &Select, outer: &[&Select]) {
        let keys = Keys::of(select, self.layout);
        self.find_shards(select, &keys);
        self.visit_joins(select, &keys, outer);
        let scope: Vec<&Select> = outer.iter().copied().chain([select]).collect();
        let is_recurring = !select.relations.is_empty()
            && select.relations.iter().all(|relation| self.recurs(relation));
        for sublink in &select.sublinks {
            let is_correlated = refers_to(sublink, &scope);
            if is_recurring && is_correlated && self.has_distributed(sublink) {
                self.shapes.insert(Shape::QueryForEachRow);
            }
            if is_correlated && self.has_local(sublink) {
                self.shapes.insert(Shape::BesideTheCoordinators("a query".to_owned()));
            }
            self.visit_query(sublink, if is_correlated { &scope } else { &[] });
        }
        for relation in &select.relations {
            if let Source::Rows(rows) = &relation.source {
                self.visit_query(rows, if relation.is_lateral { &scope } else { &[] });
            }
        }
    }

    /// Checks that conditions restrict the shards of each distributed table.
    fn find_shards(&mut self, select: &Select, keys: &Keys) {
        let layout = self.layout;
        for (relation, column) in distributed(select, layout) {
            let key = format!("{}.{column}", relation.alias);
            let is_constant = keys.constant(&key).is_some();
            if !is_constant && !keys.listed.contains(&key) {
                self.shapes.insert(Shape::AllShards(table(relation).to_owned()));
            }
            if select.locks && !is_constant {
                self.shapes.insert(Shape::LocksManyShards);
            }
        }
    }

    fn visit_joins(&mut self, select: &Select, keys: &Keys, outer: &[&Select]) {
        let layout = self.layout;
        let mut first: Option<(String, &str)> = None;
        for (relation, column) in distributed(select, layout) {
            let (name, key) = (table(relation), format!("{}.{column}", relation.alias));
            let beside = layout.distributed[name].1.as_str();
            let is_outside = keys.is_equal_to_any(&key, &outer_keys(outer, layout));
            let is_joined = match &first {
                None => outer.is_empty() || is_outside || keys.constant(&key).is_some(),
                Some((other, group)) => {
                    let is_equal = keys.are_equal(&key, other) || is_outside;
                    beside == *group && (is_equal || keys.are_same_constant(&key, other))
                }
            };
            if !is_joined {
                self.shapes.insert(Shape::NotJoinedByKey(name.to_owned()));
            }
            if relation.is_optional && keys.constant(&key).is_none() {
                let all = distributed(select, layout);
                let others = all.filter(|(other, _)| other.alias != relation.alias);
                let others: Vec<_> =
                    others.map(|(other, own)| format!("{}.{own}", other.alias)).collect();
                let is_direct = |part: &Vec<Node>| {
                    let (left, right) = equality(part, select, layout).unwrap_or_default();
                    (left == key && others.contains(&right))
                        || (right == key && others.contains(&left))
                };
                if !relation.on.iter().any(is_direct) {
                    self.shapes.insert(Shape::JoinedToWhatRecurs(name.to_owned()));
                }
            }
            first = first.or(Some((key, beside)));
        }
        for relation in &select.relations {
            if let Source::Rows(rows) = &relation.source
                && relation.is_lateral
                && needs_merge(rows)
                && self.has_distributed(rows)
                && select
                    .relations
                    .iter()
                    .any(|other| self.recurs(other) && refers_to_name(&rows.nodes, &other.alias))
            {
                self.shapes.insert(Shape::PartForEachRow);
            }
            if let Source::Table(name) = &relation.source
                && self.is_local(name)
                && select.relations.iter().any(|other| match &other.source {
                    Source::Table(other) => !self.is_local(other) && !self.named.contains(other),
                    _ => false,
                })
            {
                self.shapes.insert(Shape::BesideTheCoordinators(name.clone()));
            }
        }
    }

    /// Whether each worker sees the same rows of this relation.
    fn recurs(&self, relation: &Relation) -> bool {
        match &relation.source {
            Source::Table(name) => self.layout.column(name).is_none(),
            Source::Function => true,
            Source::Rows(rows) => {
                !self.has_distributed(rows) || (needs_merge(rows) && !relation.is_lateral)
            }
        }
    }

    fn is_local(&self, table: &str) -> bool {
        self.layout.column(table).is_none()
            && !self.layout.reference.contains(table)
            && !self.named.iter().any(|name| name == table)
    }

    fn has_distributed(&self, query: &Query) -> bool {
        tables(query).iter().any(|table| self.layout.column(table).is_some())
    }

    fn has_local(&self, query: &Query) -> bool {
        tables(query).iter().any(|table| self.is_local(table))
    }

    /// Returns the parameters that determine the shards of all distributed tables; `None` if no
    /// parameter determines the shard of one of them.
    fn constants(&self, query: &Query) -> Option<BTreeSet<u32>> {
        let mut all = BTreeSet::new();
        for (_, named) in &query.named {
            all.extend(self.constants(named)?);
        }
        for select in &query.selects {
            let keys = Keys::of(select, self.layout);
            for (relation, column) in distributed(select, self.layout) {
                all.insert(keys.constant(&format!("{}.{column}", relation.alias))?);
            }
            for sublink in &select.sublinks {
                all.extend(self.constants(sublink)?);
            }
            for relation in &select.relations {
                if let Source::Rows(rows) = &relation.source {
                    all.extend(self.constants(rows)?);
                }
            }
        }
        Some(all)
    }
}

/// Columns in the conditions of a select: pairs of equal columns, columns equal to a constant, and
/// columns in a list.
struct Keys {
    equal: Vec<BTreeSet<String>>,
    constants: HashMap<String, u32>,
    listed: BTreeSet<String>,
}

impl Keys {
    fn of(select: &Select, layout: &Layout) -> Self {
        let mut keys =
            Self { equal: Vec::new(), constants: HashMap::new(), listed: BTreeSet::new() };
        let optional = select.relations.iter().filter(|relation| relation.is_optional);
        let all = select.conditions.iter().chain(optional.flat_map(|relation| &relation.on));
        for part in all {
            if let Some((left, right)) = equality(part, select, layout) {
                keys.unite(left, right);
                continue;
            }
            let [Node::Word(column), Node::Sign(sign), value @ ..] = &part[..] else { continue };
            let column = qualified(column, select, layout);
            match value {
                _ if sign != "=" => {}
                [Node::Parameter(number)] => drop(keys.constants.insert(column, *number)),
                [Node::Word(any), Node::Group(list)] if any == "any" && has_parameter(list) => {
                    keys.listed.insert(column);
                }
                _ => {}
            }
        }
        keys
    }

    fn unite(&mut self, left: String, right: String) {
        let is_in = |set: &BTreeSet<String>| set.contains(&left) || set.contains(&right);
        let (mut joined, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.equal).into_iter().partition(is_in);
        let mut all: BTreeSet<String> = joined.drain(..).flatten().collect();
        all.extend([left, right]);
        self.equal = others;
        self.equal.push(all);
    }

    fn equals(&self, key: &str) -> BTreeSet<String> {
        let known = self.equal.iter().find(|set| set.contains(key));
        known.cloned().unwrap_or_else(|| BTreeSet::from([key.to_owned()]))
    }

    fn constant(&self, key: &str) -> Option<u32> {
        self.equals(key).iter().find_map(|it| self.constants.get(it)).copied()
    }

    fn are_equal(&self, one: &str, other: &str) -> bool {
        self.equals(one).contains(other)
    }

    fn are_same_constant(&self, one: &str, other: &str) -> bool {
        self.constant(one).is_some() && self.constant(one) == self.constant(other)
    }

    fn is_equal_to_any(&self, key: &str, others: &BTreeSet<String>) -> bool {
        self.equals(key).intersection(others).next().is_some()
    }
}

/// Parses `a.x = b.y`.
fn equality(part: &[Node], select: &Select, layout: &Layout) -> Option<(String, String)> {
    match part {
        [Node::Word(left), Node::Sign(sign), Node::Word(right)] if sign == "=" => {
            let column = |name: &str| qualified(name, select, layout);
            Some((column(left), column(right)))
        }
        _ => None,
    }
}

/// Qualifies a column with the alias of its relation: the only one, or the one that is distributed
/// by the column.
fn qualified(column: &str, select: &Select, layout: &Layout) -> String {
    if column.contains('.') {
        return column.to_owned();
    }
    let own = |relation: &&Relation| match &relation.source {
        Source::Table(name) => layout.column(name) == Some(column),
        _ => false,
    };
    let only = match &select.relations[..] {
        [only] => Some(only),
        several => several.iter().find(own),
    };
    only.map_or_else(|| column.to_owned(), |only| format!("{}.{column}", only.alias))
}

/// Returns the distributed tables of a select, each with its distribution column.
fn distributed<'a>(
    select: &'a Select,
    layout: &'a Layout,
) -> impl Iterator<Item = (&'a Relation, &'a str)> {
    select.relations.iter().filter_map(|relation| match &relation.source {
        Source::Table(name) => Some((relation, layout.column(name)?)),
        _ => None,
    })
}

fn table(relation: &Relation) -> &str {
    match &relation.source {
        Source::Table(name) => name,
        Source::Function | Source::Rows(_) => "",
    }
}

/// Returns the columns by which a subquery may be joined to the outer queries: the distribution
/// columns of their tables. A subquery among their relations is assumed to have the distribution
/// column `room`.
fn outer_keys(outer: &[&Select], layout: &Layout) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for select in outer {
        keys.extend(distributed(select, layout).map(|(it, own)| format!("{}.{own}", it.alias)));
        for relation in &select.relations {
            if let Source::Rows(rows) = &relation.source
                && !needs_merge(rows)
            {
                keys.insert(format!("{}.room", relation.alias));
            }
        }
    }
    keys
}

/// Returns the tables of a query, at any depth.
fn tables(query: &Query) -> Vec<String> {
    let mut found: Vec<String> = query.named.iter().flat_map(|(_, named)| tables(named)).collect();
    for select in &query.selects {
        for relation in &select.relations {
            match &relation.source {
                Source::Table(name) => found.push(name.clone()),
                Source::Rows(rows) => found.extend(tables(rows)),
                Source::Function => {}
            }
        }
        found.extend(select.sublinks.iter().flat_map(tables));
    }
    found
}

/// Whether the coordinator must combine the results of the shards.
fn needs_merge(query: &Query) -> bool {
    let needs = |select: &Select| {
        let is_by_room = ["room", "p.room", "r.id"].iter().any(|it| has_word(&select.group_by, it));
        let is_grouped = !select.group_by.is_empty();
        select.is_cut
            || (select.has_aggregate && !is_grouped)
            || (is_grouped && !is_by_room)
            || select.is_distinct
            || select.has_open_window
    };
    query.is_cut || query.selects.iter().any(needs)
}

/// Whether a query refers to a column of these selects.
fn refers_to(query: &Query, scope: &[&Select]) -> bool {
    let names = scope.iter().flat_map(|select| &select.relations);
    names.into_iter().any(|relation| refers_to_name(&query.nodes, &relation.alias))
}

fn refers_to_name(nodes: &[Node], alias: &str) -> bool {
    !alias.is_empty()
        && nodes.iter().any(|node| match node {
            Node::Word(name) => name.split_once('.').is_some_and(|(table, _)| table == alias),
            Node::Group(inner) => refers_to_name(inner, alias),
            Node::Parameter(_) | Node::Sign(_) => false,
        })
}

fn has_parameter(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Parameter(_) => true,
        Node::Group(inner) => has_parameter(inner),
        Node::Word(_) | Node::Sign(_) => false,
    })
}
