//! What several measurements have in common: many tasks at once, and what most of them took.

use tokio::task::JoinSet;

use crate::failure::Failure;

/// What stands at this part of a sorted list.
pub(crate) fn quantile(sorted: &[f64], part: f64) -> f64 {
    sorted.get((sorted.len().saturating_sub(1) as f64 * part) as usize).copied().unwrap_or(f64::NAN)
}

/// Waits for all of them; the first failure ends it.
pub(crate) async fn all<T: 'static>(
    mut tasks: JoinSet<Result<T, Failure>>,
) -> Result<Vec<T>, Failure> {
    let mut done = Vec::new();
    while let Some(task) = tasks.join_next().await {
        done.push(task??);
    }
    Ok(done)
}
