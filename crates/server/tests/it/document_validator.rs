//! Checks the API document with a published validator (openapi-spec-validator, from PyPI).
//!
//! `scripts/install-test-tools` installs it. It needs Python, so the quick tests skip this module.

use std::path::{Path, PathBuf};
use std::process::Command;

use reqwest::Method;

use crate::support::caller::sent;
use crate::support::test_server::TestServer;

/// Returns the path of the validator, or panics with the command that installs it.
fn validator() -> PathBuf {
    let named = std::env::var_os("CONFAB_TEST_OPENAPI_VALIDATOR").map(PathBuf::from);
    let usual = "../../target/openapi-spec-validator/bin/openapi-spec-validator";
    let found = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(usual));
    assert!(found.exists(), "{} is missing: run scripts/install-test-tools", found.display());
    found
}

#[tokio::test]
async fn a_published_validator_accepts_the_document() {
    let folder = tempfile::tempdir().expect("a folder");
    for brands in ["SERVICE", "SERVICE, OTHER"] {
        let server = TestServer::start_with(&[("brands", brands)]).await;
        let document = sent(server.bare(Method::GET, "/openapi.json")).await.text;
        let file = folder.path().join("openapi.json");
        std::fs::write(&file, document).expect("written");
        // The validator's own Python backend takes a minute.
        let ran = Command::new(validator())
            .env("OPENAPI_SPEC_VALIDATOR_SCHEMA_VALIDATOR_BACKEND", "jsonschema-rs")
            .args(["--subschema-errors", "all"])
            .arg(&file)
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{said}");
        assert!(said.contains("OK"), "{said}");
    }
}
