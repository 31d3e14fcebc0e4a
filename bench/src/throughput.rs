//! The throughput of a load whose requests each cause one delivery.

use std::time::Instant;

use crate::failure::Failure;
use crate::process::Server;

/// Rates and CPU time of a load.
pub(crate) struct Throughput {
    /// Accepted requests per second.
    pub(crate) accepted: f64,
    /// Deliveries per second, until the last one.
    pub(crate) delivered: f64,
    /// CPU time of the server per request, with its delivery, in µs.
    pub(crate) cpu_us: f64,
}

impl Throughput {
    /// Runs `load`, which returns the number of accepted requests, and waits until `all_delivered`
    /// returns for this number.
    pub(crate) async fn measure(
        server: &Server,
        load: impl Future<Output = Result<usize, Failure>>,
        all_delivered: impl AsyncFnOnce(usize) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let (cpu, started) = (server.cpu_seconds()?, Instant::now());
        let count = load.await?;
        let accepted = count as f64 / started.elapsed().as_secs_f64();
        all_delivered(count).await?;
        let delivered = count as f64 / started.elapsed().as_secs_f64();
        let cpu_us = (server.cpu_seconds()? - cpu) * 1e6 / count as f64;
        Ok(Self { accepted, delivered, cpu_us })
    }
}
