//! Helpers of several measurements: concurrent tasks and quantiles.

use tokio::task::JoinSet;

use crate::failure::Failure;

/// Returns the quantile `part` of a sorted list, or NaN if it is empty.
pub(crate) fn quantile(sorted: &[f64], part: f64) -> f64 {
    sorted.get((sorted.len().saturating_sub(1) as f64 * part) as usize).copied().unwrap_or(f64::NAN)
}

/// Waits for all tasks, or for the first failure.
pub(crate) async fn all<T: 'static>(
    mut tasks: JoinSet<Result<T, Failure>>,
) -> Result<Vec<T>, Failure> {
    let mut done = Vec::new();
    while let Some(task) = tasks.join_next().await {
        done.push(task??);
    }
    Ok(done)
}
