//! Statements that are sent at once, in a fixed order.
//!
//! A pipeline consists of statements, never of other futures. It prepares missing statements before
//! it sends the first one, and can send only a [`PreparedStatement`]: the first poll of each
//! statement sends it, so a COMMIT never overtakes the writes that it commits.

use std::ops::Range;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::connection::{Connection, PreparedStatement};
use super::in_order::{BoxedFuture, in_order};
use crate::sql::{Ask, Statement};

/// Parameters of a statement, owned by the pipeline until they are sent.
pub(crate) type OwnedParams<'a> = Vec<Box<dyn ToSql + Sync + 'a>>;

/// Boxes the parameters of a statement: `params![1_i64, ids]`.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        vec![$(Box::new($value) as Box<dyn tokio_postgres::types::ToSql + Sync + '_>),*]
    };
}
pub(crate) use params;

/// Statements that are sent without waiting for answers in between.
pub(crate) struct Pipeline<'a> {
    db: &'a Connection,
    steps: Vec<Step<'a>>,
}

enum Step<'a> {
    /// A statement without parameters.
    Run(&'static str),
    /// A statement that returns rows.
    Query(&'static Statement, OwnedParams<'a>),
    /// A statement that returns the number of changed rows.
    Execute(&'static Statement, OwnedParams<'a>),
}

/// Range of the answers to some statements, in the order of sending.
pub(crate) type Slots = Range<usize>;

/// Answers to all statements of a pipeline.
pub(crate) struct PipelineAnswers(Vec<StatementAnswer>);

enum StatementAnswer {
    Rows(Vec<Row>),
    Changed(u64),
}

impl<'a> Pipeline<'a> {
    pub(crate) fn new(db: &'a Connection) -> Self {
        Self { db, steps: Vec::new() }
    }

    pub(crate) fn run(&mut self, text: &'static str) {
        self.steps.push(Step::Run(text));
    }

    pub(crate) fn query(
        &mut self,
        statement: &'static Statement,
        params: OwnedParams<'a>,
    ) -> Slots {
        self.add(Step::Query(statement, params))
    }

    pub(crate) fn execute(
        &mut self,
        statement: &'static Statement,
        params: OwnedParams<'a>,
    ) -> Slots {
        self.add(Step::Execute(statement, params))
    }

    /// Adds a query that is written for both engines.
    pub(crate) fn push_query(&mut self, ask: &'a Ask) -> Slots {
        self.query(ask.statement, values_of(ask))
    }

    /// Adds a write that is written for both engines.
    pub(crate) fn execute_ask(&mut self, ask: &'a Ask) -> Slots {
        self.execute(ask.statement, values_of(ask))
    }

    /// Returns an empty range at the current end of the pipeline, for a statement that need not be
    /// sent.
    pub(crate) fn nothing(&self) -> Slots {
        self.steps.len()..self.steps.len()
    }

    fn add(&mut self, step: Step<'a>) -> Slots {
        self.steps.push(step);
        self.steps.len() - 1..self.steps.len()
    }

    /// Sends all statements; returns their answers, or the first error.
    pub(crate) async fn answers(self) -> Result<PipelineAnswers, Error> {
        let mut sent: Vec<BoxedFuture<'_, StatementAnswer, Error>> =
            Vec::with_capacity(self.steps.len());
        for step in self.steps {
            sent.push(match step {
                Step::Run(text) => Box::pin(run(self.db, text)),
                Step::Query(statement, params) => {
                    Box::pin(query(self.db, self.db.prepared(statement.postgres()).await?, params))
                }
                Step::Execute(statement, params) => {
                    let prepared = self.db.prepared(statement.postgres()).await?;
                    Box::pin(execute(self.db, prepared, params))
                }
            });
        }
        Ok(PipelineAnswers(in_order(sent).await?))
    }
}

impl PipelineAnswers {
    /// Returns the rows of some statements.
    pub(crate) fn rows(&mut self, slots: Slots) -> Vec<Row> {
        let mut found = Vec::new();
        for answer in &mut self.0[slots] {
            match answer {
                StatementAnswer::Rows(rows) if found.is_empty() => found = std::mem::take(rows),
                StatementAnswer::Rows(rows) => found.append(rows),
                StatementAnswer::Changed(_) => {}
            }
        }
        found
    }

    /// Returns the number of rows that some statements changed.
    pub(crate) fn changed(&self, slots: Slots) -> u64 {
        let changed = |answer: &StatementAnswer| match answer {
            StatementAnswer::Rows(_) => 0,
            StatementAnswer::Changed(rows) => *rows,
        };
        self.0[slots].iter().map(changed).sum()
    }
}

fn values_of(ask: &Ask) -> OwnedParams<'_> {
    ask.values.iter().map(|value| Box::new(value) as Box<dyn ToSql + Sync + '_>).collect()
}

async fn run(db: &Connection, text: &str) -> Result<StatementAnswer, Error> {
    db.run(text).await.map(|()| StatementAnswer::Changed(0))
}

async fn query(
    db: &Connection,
    statement: PreparedStatement,
    params: OwnedParams<'_>,
) -> Result<StatementAnswer, Error> {
    db.query_prepared(&statement, &borrowed(&params)).await.map(StatementAnswer::Rows)
}

async fn execute(
    db: &Connection,
    statement: PreparedStatement,
    params: OwnedParams<'_>,
) -> Result<StatementAnswer, Error> {
    db.execute_prepared(&statement, &borrowed(&params)).await.map(StatementAnswer::Changed)
}

fn borrowed<'b>(params: &'b OwnedParams<'_>) -> Vec<&'b (dyn ToSql + Sync)> {
    params.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect()
}

#[cfg(test)]
mod tests {
    use confab_test_servers::postgres::shared;

    use super::*;
    use crate::location::Location;
    use crate::sql::{Row as _, values};

    static INSERT: Statement = Statement::new("INSERT INTO written (number) VALUES ($1)");
    static COUNT: Statement = Statement::new("SELECT count(*) FROM written");

    async fn connection() -> Connection {
        let url = shared().new_schema();
        let Location::Postgres(endpoint) = Location::database(&url).expect("valid") else {
            panic!("an address of a PostgreSQL")
        };
        let db = Connection::open(&endpoint, "SET synchronous_commit = off").await.expect("opens");
        db.run("CREATE TABLE written (number BIGINT)").await.expect("created");
        db
    }

    #[tokio::test]
    async fn an_unprepared_statement_is_not_overtaken_by_the_end_of_the_transaction() {
        let db = connection().await;
        let ask = Ask::new(&INSERT, values![2_i64]);
        let mut sent = Pipeline::new(&db);
        sent.run("BEGIN");
        let inserted = sent.execute(&INSERT, params![1_i64]);
        let asked = sent.execute_ask(&ask);
        let counted = sent.query(&COUNT, params![]);
        sent.run("ROLLBACK");
        let mut answers = sent.answers().await.expect("sent");
        assert_eq!((answers.changed(inserted), answers.changed(asked)), (1, 1));
        let count = |rows: Vec<Row>| rows[0].number(0).expect("a number");
        assert_eq!(count(answers.rows(counted)), 2, "within the transaction");
        let after = db.query(COUNT.postgres(), &[]).await.expect("read");
        assert_eq!(count(after), 0, "no statement runs after the end of the transaction");
    }
}
