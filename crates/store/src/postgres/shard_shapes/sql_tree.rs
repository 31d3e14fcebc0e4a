//! Parser for statements: as much of SQL as is needed to find tables, joins and keys.

/// A token of a statement, or a group in parentheses. Words are lowercase; the name of a column
/// includes that of its table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Word(String),
    Parameter(u32),
    Sign(String),
    /// Content of parentheses.
    Group(Vec<Node>),
}

/// A statement, or a query in parentheses.
#[derive(Debug)]
pub struct Query {
    /// All parts of the statement, in order.
    pub nodes: Vec<Node>,
    /// Named queries that precede the statement (`WITH`).
    pub named: Vec<(String, Query)>,
    /// The selects; more than one if they are joined by `UNION`.
    pub selects: Vec<Select>,
    /// Whether the number of rows is limited (`LIMIT`, `OFFSET`).
    pub is_cut: bool,
}

/// One `SELECT`, `UPDATE` or `DELETE`. The changed table is the first relation.
#[derive(Debug, Default)]
pub struct Select {
    pub relations: Vec<Relation>,
    /// Conditions joined by `AND`, from `WHERE` and each `ON`.
    pub conditions: Vec<Vec<Node>>,
    /// Subqueries in columns and conditions.
    pub sublinks: Vec<Query>,
    pub group_by: Vec<Node>,
    pub is_distinct: bool,
    pub has_aggregate: bool,
    /// Whether a window function has no `PARTITION BY`.
    pub has_open_window: bool,
    pub is_cut: bool,
    pub locks: bool,
}

#[derive(Debug)]
pub struct Relation {
    pub alias: String,
    pub source: Source,
    /// Whether rows of the other relations stay in the result if this one has no match (`LEFT
    /// JOIN`).
    pub is_optional: bool,
    pub is_lateral: bool,
    pub on: Vec<Vec<Node>>,
}

#[derive(Debug)]
pub enum Source {
    Table(String),
    Function,
    Rows(Query),
}

const AGGREGATES: [&str; 5] = ["count", "sum", "max", "min", "avg"];
const CLAUSES: [&str; 9] =
    ["from", "where", "group", "having", "window", "order", "limit", "offset", "for"];
const NO_ALIAS: [&str; 10] =
    ["join", "left", "inner", "cross", "on", "where", "set", "as", "with", "returning"];

/// Parses a statement. `None` if it neither reads nor changes rows.
pub fn statement(text: &str) -> Option<Query> {
    let nodes = nodes(text);
    let mut at = 0;
    let named = named_queries(&nodes, &mut at);
    let rest = &nodes[at..];
    let select = match word(rest.first()) {
        "select" => return Some(query(&nodes)),
        "insert" => return Some(inserted(&nodes, named, rest)),
        "update" => changing(&rest[1..]),
        "delete" => changing(&rest[2..]),
        _ => return None,
    };
    Some(Query { nodes, named, selects: vec![select], is_cut: false })
}

/// Parses the query of an `INSERT … SELECT`.
fn inserted(nodes: &[Node], named: Vec<(String, Query)>, insert: &[Node]) -> Query {
    let end = position(insert, |at| {
        word(insert.get(at)) == "on" && word(insert.get(at + 1)) == "conflict"
    });
    let insert = &insert[..end];
    let start = position(insert, |at| word(insert.get(at)) == "select");
    let mut rows = query(&insert[start..]);
    rows.nodes = nodes.to_vec();
    rows.named.extend(named);
    rows
}

/// Parses `table SET … FROM … WHERE …` or `table WHERE …`.
fn changing(nodes: &[Node]) -> Select {
    let set = position(nodes, |at| word(nodes.get(at)) == "set");
    let from = position(nodes, |at| at > set && word(nodes.get(at)) == "from");
    let condition = position(nodes, |at| word(nodes.get(at)) == "where");
    let end = position(nodes, |at| word(nodes.get(at)) == "returning");
    let mut select = Select::default();
    read_relations(&nodes[..set.min(condition)], &mut select);
    if from < condition {
        read_relations(&nodes[from + 1..condition], &mut select);
    }
    select.conditions.extend(conjuncts(nodes.get(condition + 1..end).unwrap_or_default()));
    select.sublinks = queries_in(&nodes[set.min(condition)..]);
    select
}

pub fn query(nodes: &[Node]) -> Query {
    let mut at = 0;
    let named = named_queries(nodes, &mut at);
    let mut found = Query { nodes: nodes.to_vec(), named, selects: Vec::new(), is_cut: false };
    let parts: Vec<&[Node]> =
        nodes[at..].split(|node| *node == Node::Word("union".into())).collect();
    for part in parts {
        let part = if word(part.first()) == "all" { &part[1..] } else { part };
        match part {
            [Node::Group(inner), rest @ ..] => {
                let rows = Relation {
                    alias: String::new(),
                    source: Source::Rows(query(inner)),
                    is_optional: false,
                    is_lateral: false,
                    on: Vec::new(),
                };
                found.selects.push(Select { relations: vec![rows], ..Select::default() });
                found.is_cut |= rest.iter().any(is_cutting);
            }
            [] => {}
            part => found.selects.push(select(part)),
        }
    }
    found.is_cut |= found.selects.last().is_some_and(|last| last.is_cut);
    found
}

/// Parses `WITH name AS (…), …`, if present.
fn named_queries(nodes: &[Node], at: &mut usize) -> Vec<(String, Query)> {
    let mut named = Vec::new();
    if word(nodes.first()) != "with" {
        return named;
    }
    *at = if word(nodes.get(1)) == "recursive" { 2 } else { 1 };
    loop {
        let name = word(nodes.get(*at)).to_owned();
        *at += position(&nodes[*at..], |it| word(nodes.get(*at + it)) == "as") + 1;
        if let Some(Node::Group(inner)) = nodes.get(*at) {
            named.push((name, query(inner)));
        }
        *at += 1;
        match nodes.get(*at) {
            Some(Node::Sign(sign)) if sign == "," => *at += 1,
            _ => return named,
        }
    }
}

fn select(nodes: &[Node]) -> Select {
    let mut clauses: Vec<(&str, Vec<Node>)> = vec![("list", Vec::new())];
    for (at, node) in nodes.iter().enumerate().skip(1) {
        let next = word(nodes.get(at + 1));
        let begins = match word(Some(node)) {
            "from" => clauses.len() == 1 && word(nodes.get(at - 1)) != "distinct",
            "group" | "order" => next == "by",
            "for" => next == "update",
            other => CLAUSES.contains(&other),
        };
        match CLAUSES.iter().find(|name| **name == word(Some(node))).filter(|_| begins) {
            Some(name) => clauses.push((name, Vec::new())),
            None => clauses.last_mut().expect("the list exists").1.push(node.clone()),
        }
    }
    let clause = |wanted: &str| {
        let of_name = clauses.iter().filter(|(name, _)| *name == wanted);
        of_name.flat_map(|(_, nodes)| nodes.clone()).collect::<Vec<Node>>()
    };
    let list = clause("list");
    let mut select = Select {
        group_by: clause("group"),
        is_distinct: word(list.first()) == "distinct",
        has_aggregate: has_aggregate(&list),
        has_open_window: has_open_window(&list, &clause("window")),
        is_cut: clauses.iter().any(|(name, _)| ["limit", "offset"].contains(name)),
        locks: clauses.iter().any(|(name, _)| *name == "for"),
        ..Select::default()
    };
    read_relations(&clause("from"), &mut select);
    select.conditions.extend(conjuncts(&clause("where")));
    for name in ["list", "where", "having", "order"] {
        select.sublinks.extend(queries_in(&clause(name)));
    }
    select
}

/// Parses `table a JOIN (SELECT …) b ON …, function(…) c (…)`.
fn read_relations(nodes: &[Node], select: &mut Select) {
    let mut at = 0;
    let mut is_optional = false;
    while at < nodes.len() {
        let is_lateral = word(nodes.get(at)) == "lateral";
        at += usize::from(is_lateral);
        let (mut alias, source) = match &nodes[at] {
            Node::Group(inner) => (String::new(), Source::Rows(query(inner))),
            table => match nodes.get(at + 1) {
                Some(Node::Group(_)) => {
                    at += 1;
                    (String::new(), Source::Function)
                }
                _ => (word(Some(table)).to_owned(), Source::Table(word(Some(table)).to_owned())),
            },
        };
        at += 1;
        if word(nodes.get(at)) == "with" {
            at += 2;
        }
        at += usize::from(word(nodes.get(at)) == "as");
        if let Some(Node::Word(name)) = nodes.get(at)
            && !NO_ALIAS.contains(&name.as_str())
        {
            alias = name.clone();
            at += 1;
        }
        at += usize::from(matches!(nodes.get(at), Some(Node::Group(_))));
        let mut on = Vec::new();
        if word(nodes.get(at)) == "on" {
            let end = at + 1 + position(&nodes[at + 1..], |it| is_joining(&nodes[at + 1 + it]));
            on = conjuncts(&nodes[at + 1..end]);
            select.sublinks.extend(queries_in(&nodes[at + 1..end]));
            at = end;
        }
        if !is_optional {
            select.conditions.extend(on.clone());
        }
        select.relations.push(Relation { alias, source, is_optional, is_lateral, on });
        is_optional = false;
        while at < nodes.len() && is_joining(&nodes[at]) {
            is_optional |= word(nodes.get(at)) == "left";
            at += 1;
        }
    }
}

fn is_joining(node: &Node) -> bool {
    match node {
        Node::Sign(sign) => sign == ",",
        node => ["join", "left", "inner", "cross", "outer"].contains(&word(Some(node))),
    }
}

fn is_cutting(node: &Node) -> bool {
    ["limit", "offset"].contains(&word(Some(node)))
}

/// Splits conditions joined by `AND`.
fn conjuncts(nodes: &[Node]) -> Vec<Vec<Node>> {
    let parts = nodes.split(|node| word(Some(node)) == "and");
    parts.map(<[Node]>::to_vec).filter(|part| !part.is_empty()).collect()
}

/// Returns queries in parentheses at any depth, except those within another query.
fn queries_in(nodes: &[Node]) -> Vec<Query> {
    let mut found = Vec::new();
    for node in nodes {
        if let Node::Group(inner) = node {
            match word(inner.first()) {
                "select" | "with" => found.push(query(inner)),
                _ => found.extend(queries_in(inner)),
            }
        }
    }
    found
}

fn has_aggregate(nodes: &[Node]) -> bool {
    nodes.iter().enumerate().any(|(at, node)| match node {
        Node::Word(name) => {
            let is_called = matches!(nodes.get(at + 1), Some(Node::Group(_)));
            AGGREGATES.contains(&name.as_str()) && is_called && word(nodes.get(at + 2)) != "over"
        }
        Node::Group(inner) => word(inner.first()) != "select" && has_aggregate(inner),
        Node::Parameter(_) | Node::Sign(_) => false,
    })
}

fn has_open_window(nodes: &[Node], windows: &[Node]) -> bool {
    let is_divided = |nodes: &[Node]| has_word(nodes, "partition");
    nodes.iter().enumerate().any(|(at, node)| match node {
        Node::Word(name) if name == "over" => match nodes.get(at + 1) {
            Some(Node::Group(inner)) => !is_divided(inner),
            _ => !is_divided(windows),
        },
        Node::Group(inner) => word(inner.first()) != "select" && has_open_window(inner, windows),
        _ => false,
    })
}

/// Whether a word occurs in these parts, at any depth.
pub fn has_word(nodes: &[Node], wanted: &str) -> bool {
    nodes.iter().any(|node| match node {
        Node::Word(name) => name == wanted,
        Node::Group(inner) => has_word(inner, wanted),
        Node::Parameter(_) | Node::Sign(_) => false,
    })
}

/// Returns the text of a word; empty for other nodes.
pub fn word(node: Option<&Node>) -> &str {
    match node {
        Some(Node::Word(name)) => name,
        _ => "",
    }
}

/// Returns the first position where the predicate holds, or the end.
fn position(nodes: &[Node], is_it: impl Fn(usize) -> bool) -> usize {
    (0..nodes.len()).find(|at| is_it(*at)).unwrap_or(nodes.len())
}

/// Splits a text into parts.
fn nodes(text: &str) -> Vec<Node> {
    let letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    let nodes = group(&letters, &mut at);
    assert_eq!(at, letters.len(), "parentheses match: {text}");
    nodes
}

fn group(letters: &[char], at: &mut usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    while let Some(letter) = letters.get(*at).copied() {
        let start = *at;
        *at += 1;
        let mut take_while = |is_more: &dyn Fn(char) -> bool| {
            while letters.get(*at).copied().is_some_and(is_more) {
                *at += 1;
            }
            letters[start..*at].iter().collect::<String>()
        };
        match letter {
            '(' => {
                nodes.push(Node::Group(group(letters, at)));
                assert_eq!(letters.get(*at), Some(&')'), "a parenthesis is closed");
                *at += 1;
            }
            ')' => {
                *at = start;
                return nodes;
            }
            '\'' => {
                let quoted = take_while(&|letter| letter != '\'');
                *at += 1;
                nodes.push(Node::Sign(quoted + "'"));
            }
            '$' => {
                let number = take_while(&|letter| letter.is_ascii_digit());
                nodes.push(Node::Parameter(number[1..].parse().expect("a number")));
            }
            letter if letter.is_whitespace() => {}
            letter if letter.is_ascii_alphabetic() || letter == '_' => {
                let name = take_while(&|it| it.is_ascii_alphanumeric() || "_.".contains(it));
                nodes.push(Node::Word(name.to_lowercase()));
            }
            letter if letter.is_ascii_digit() => {
                nodes.push(Node::Sign(take_while(&|it| it.is_ascii_digit())));
            }
            letter if "<>=!|:@+-*/%&".contains(letter) => {
                nodes.push(Node::Sign(take_while(&|it| "<>=!|:@&".contains(it))));
            }
            letter => nodes.push(Node::Sign(letter.to_string())),
        }
    }
    nodes
}
