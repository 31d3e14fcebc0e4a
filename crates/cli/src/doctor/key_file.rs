//! Checks that the key file decrypts the secrets of the data, as a server start does (D-0086).

use std::sync::Arc;

use confab_runtime::config::Config;
use confab_runtime::process::secrets_file::SecretsFile;
use confab_store::{KeyFile as _, Sealer};
use rustix::fs::Access;

use super::database::Data;
use super::finding::Findings;
use super::permissions;

const CHECK: &str = "key file";

/// Checks the key file. Returns the sealer that decrypts the data's secrets, if the keys match the
/// data.
pub(super) async fn check(
    config: &Config,
    data: &Data,
    findings: &mut Findings,
) -> Option<Arc<Sealer>> {
    let path = &config.secrets_key_file;
    let file = SecretsFile::at(path);
    let shown = file.shown();
    if permissions::is_denied(path, Access::READ_OK) {
        let found = format!("this user may not read {shown}");
        findings.trouble(CHECK, found, permissions::advice(path));
        return None;
    }
    let is_there = match file.keys() {
        Ok(keys) => keys.is_some(),
        Err(problem) => {
            findings.trouble(CHECK, problem, "restore the previous key file");
            return None;
        }
    };
    let proven = match data {
        Data::Read(data) => data.prove_keys(Box::new(file.clone())).await,
        Data::None => Ok(None),
        Data::Unread => {
            findings.skipped(CHECK, format!("{shown} could not be compared with the data"));
            return None;
        }
    };
    let sealer = match proven {
        Ok(sealer) => sealer,
        Err(error) => {
            let advice = "restore the key file from a copy; if there is none, see `confab secrets \
                start-over --help`";
            findings.trouble(CHECK, error.source.to_string(), advice);
            return None;
        }
    };
    match file.open_to_others() {
        _ if !is_there => {
            findings.ok(CHECK, format!("{shown} does not exist yet; the first start creates it"));
        }
        Some(mode) => findings.warning(
            CHECK,
            format!("{shown} has mode {mode:o}, so other users of this machine can read it"),
            format!("chmod 600 {}", path.display()),
        ),
        None if sealer.is_none() => findings.ok(CHECK, format!("{shown} is not in use yet")),
        None => {
            findings.ok(CHECK, format!("{shown} belongs to the data; keep a copy of it elsewhere"));
        }
    }
    sealer
}
