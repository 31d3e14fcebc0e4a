//! Several statements on their way at once, in a fixed order.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use tokio_postgres::Error;

type Statement<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + 'a>>;

/// Statements that are sent one after the other without waiting for answers in between.
pub(super) struct Pipeline<'a, T> {
    statements: Vec<Statement<'a, T>>,
}

impl<T> Default for Pipeline<'_, T> {
    fn default() -> Self {
        Self { statements: Vec::new() }
    }
}

impl<'a, T> Pipeline<'a, T> {
    /// One statement, prepared before: then its first poll sends it.
    pub(super) fn add(&mut self, statement: impl Future<Output = Result<T, Error>> + 'a) {
        self.statements.push(Box::pin(statement));
    }

    /// Sends them all; gives the answers in order, or the first error.
    pub(super) async fn answers(self) -> Result<Vec<T>, Error> {
        let mut waiting: Vec<_> = self.statements.into_iter().map(Some).collect();
        let mut answers: Vec<Option<T>> = waiting.iter().map(|_| None).collect();
        // Every poll goes through all of them from the first to the last: `join_all` of a library
        // does not promise that, and a COMMIT must not overtake what it is to commit.
        poll_fn(|context| {
            let mut is_done = true;
            for (statement, answer) in waiting.iter_mut().zip(&mut answers) {
                let Some(running) = statement else { continue };
                match running.as_mut().poll(context) {
                    Poll::Ready(Ok(given)) => {
                        *answer = Some(given);
                        *statement = None;
                    }
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => is_done = false,
                }
            }
            if is_done { Poll::Ready(Ok(())) } else { Poll::Pending }
        })
        .await?;
        Ok(answers.into_iter().flatten().collect())
    }
}
