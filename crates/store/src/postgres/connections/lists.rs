//! Statements whose cost grows with the stored data: each waits for a permit and has a connection
//! of its own while it runs (D-0207).

use tokio::sync::oneshot;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::error::{Read, StoreError};
use crate::postgres::Engine;

/// A parameter that the task of a statement owns, because the statement may outlive its caller.
pub(crate) type OwnedParam = Box<dyn ToSql + Send + Sync>;

impl Engine {
    /// Returns the rows of a statement. If its caller no longer waits, the statement is cancelled,
    /// and holds its permit until the cancellation ends.
    pub(crate) async fn list(
        &self,
        doing: &'static str,
        text: &'static str,
        params: Vec<OwnedParam>,
    ) -> Read<Vec<Row>> {
        let permit = self.queues.list().await?;
        let listers = self.listers.clone();
        let (mut answer, answered) = oneshot::channel();
        tokio::spawn(async move {
            let params: Vec<_> =
                params.iter().map(|param| &**param as &(dyn ToSql + Sync)).collect();
            let asked = [(text, &params[..])];
            let rows = listers.query_until(doing, &asked, answer.closed()).await;
            drop(permit);
            let _ = answer.send(rows.map(|rows| rows.into_iter().flatten().collect()));
        });
        answered.await.map_err(StoreError::while_doing(doing))?
    }
}

/// Boxes the parameters of a statement: `params![user.0, kind]`.
macro_rules! params {
    ($($param:expr),* $(,)?) => {
        vec![$(Box::new($param) as $crate::postgres::connections::lists::OwnedParam),*]
    };
}
pub(crate) use params;
