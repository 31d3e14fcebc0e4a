//! Catches panics, so that a defect does not end a connection or background task.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// Awaits a future. Returns `Err` if it panics.
pub async fn caught<F: Future>(future: AssertUnwindSafe<F>) -> Result<F::Output, ()> {
    let mut future = pin!(future.0);
    std::future::poll_fn(move |context| poll_caught(future.as_mut(), context)).await
}

fn poll_caught<F: Future>(
    future: Pin<&mut F>,
    context: &mut Context<'_>,
) -> Poll<Result<F::Output, ()>> {
    match catch_unwind(AssertUnwindSafe(|| future.poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(_) => Poll::Ready(Err(())),
    }
}
