//! Checks the services that the server uses: NATS, the bucket for files, and the trace collector.

use confab_realtime::bus::reach_nats;
use confab_runtime::config::Config;
use confab_runtime::failures::chain;
use confab_runtime::files;
use confab_runtime::traces::reach_collector;

use super::finding::Findings;

pub(super) async fn check(config: &Config, findings: &mut Findings) {
    match &config.nats_url {
        None => findings.ok("NATS", "not set: several nodes notify each other through PostgreSQL"),
        Some(url) => match reach_nats(url).await {
            Ok(()) if !url.has_credentials() => findings.warning(
                "NATS",
                "nats_url has no credentials: every client that reaches the NATS server can flood \
                 the nodes",
                "require a user and password or a token in NATS, and add them to nats_url \
                 (docs/operating/several-nodes.md)",
            ),
            Ok(()) => findings.ok("NATS", "accepts connections"),
            Err(why) => findings.trouble(
                "NATS",
                format!("cannot be reached: {why}"),
                "start NATS, or correct nats_url; without it, messages reach clients of other \
                 nodes late",
            ),
        },
    }
    match &config.s3 {
        None => findings.ok("S3", "not set: uploaded files are in the data folder"),
        Some(settings) => match files::try_bucket(settings).await {
            Ok(()) => findings.ok("S3", "wrote, read and deleted an object"),
            Err(error) => findings.trouble(
                "S3",
                format!("failed to write, read and delete an object: {}", chain(&error)),
                "correct s3_endpoint, s3_bucket, s3_region and the keys, which must allow all \
                 three operations",
            ),
        },
    }
    match &config.traces {
        None => findings.ok("traces", "not set: no traces are sent"),
        Some(settings) => match reach_collector(settings).await {
            Ok(()) => findings.ok("traces", "the collector accepts traces"),
            Err(why) => findings.warning(
                "traces",
                format!("the collector does not accept traces: {why}"),
                "start the collector, or correct otlp_url and otlp_headers; the server works \
                 without it",
            ),
        },
    }
}
