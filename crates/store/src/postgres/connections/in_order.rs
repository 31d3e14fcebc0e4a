//! Concurrent futures, polled in a fixed order.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// A future that [`in_order`] runs.
pub(crate) type BoxedFuture<'a, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + 'a>>;

/// Runs all futures; returns their results in order, or the first error.
///
/// Every poll visits the futures from first to last, which `join_all` of a library does not
/// guarantee: a COMMIT must not overtake the writes that it commits.
pub(crate) async fn in_order<T, E>(all: Vec<BoxedFuture<'_, T, E>>) -> Result<Vec<T>, E> {
    let mut pending: Vec<_> = all.into_iter().map(Some).collect();
    let mut answers: Vec<Option<T>> = pending.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut is_done = true;
        for (future, answer) in pending.iter_mut().zip(&mut answers) {
            let Some(running) = future else { continue };
            match running.as_mut().poll(context) {
                Poll::Ready(Ok(given)) => {
                    *answer = Some(given);
                    *future = None;
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
