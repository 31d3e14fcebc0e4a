//! Checks the services that the server uses: NATS, the bucket for files, and the trace collector.

use super::finding::Findings;
use crate::bus::reach_nats;
use crate::config::Config;
use crate::failures::chain;
use crate::files;
use crate::traces::reach_collector;

pub(super) async fn look(config: &Config, findings: &mut Findings) {
    match &config.nats_url {
        None => findings.ok("NATS", "none is set: one node needs none, several use PostgreSQL"),
        Some(url) => match reach_nats(url).await {
            Ok(()) if !url.has_credentials() => findings.warning(
                "NATS",
                "nats_url has no credentials: it takes connections from whoever reaches it, who \
                 can flood the nodes",
                "give the server a user and a password or a token, and put them into nats_url \
                 (docs/operating/several-nodes.md)",
            ),
            Ok(()) => findings.ok("NATS", "it takes connections"),
            Err(why) => findings.trouble(
                "NATS",
                format!("it cannot be reached: {why}"),
                "start it, or correct nats_url; without it nodes see each other's messages late",
            ),
        },
    }
    match &config.s3 {
        None => findings.ok("S3", "none is set: uploaded files are in the data folder"),
        Some(settings) => match files::try_bucket(settings).await {
            Ok(()) => findings.ok("S3", "an object was written, read and removed"),
            Err(error) => findings.trouble(
                "S3",
                format!("a small object could not be written, read and removed: {}", chain(&error)),
                "correct s3_endpoint, s3_bucket, s3_region and the keys; they must allow all three",
            ),
        },
    }
    match &config.traces {
        None => findings.ok("traces", "no collector is set: none are sent"),
        Some(settings) => match reach_collector(settings).await {
            Ok(()) => findings.ok("traces", "the collector takes them"),
            Err(why) => findings.warning(
                "traces",
                format!("the collector does not take them: {why}"),
                "start it, or correct otlp_url and otlp_headers; the server works without it",
            ),
        },
    }
}
