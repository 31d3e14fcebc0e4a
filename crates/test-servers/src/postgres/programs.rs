//! The location of PostgreSQL's programs. `scripts/install-test-tools` searches the same places in
//! the same order.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const CHOSEN: &str = "CONFAB_TEST_POSTGRES_BIN";
const NEEDED: [&str; 4] = ["initdb", "postgres", "psql", "pg_isready"];
const DEBIAN: &str = "/usr/lib/postgresql";

/// A folder with all needed programs.
#[derive(Debug)]
pub(crate) struct Programs(PathBuf);

impl Programs {
    /// Returns the folder in the environment variable, or else the first complete one.
    pub(crate) fn find() -> Result<Self, String> {
        if let Some(chosen) = env::var_os(CHOSEN) {
            return Self::in_chosen(PathBuf::from(chosen));
        }
        let places = named_by_pg_config().into_iter().chain(of_debian()).chain(in_path());
        places.map(Self).find(Self::is_complete).ok_or_else(|| {
            format!(
                "its programs are not found; run `apt-get install postgresql` (`make test` does \
                 where it may), or set {CHOSEN} to the folder that has `initdb` and `postgres`."
            )
        })
    }

    fn in_chosen(folder: PathBuf) -> Result<Self, String> {
        let chosen = Self(folder);
        if !chosen.is_complete() {
            let (folder, needed) = (chosen.0.display(), NEEDED.join(", "));
            return Err(format!("{CHOSEN} is {folder}, which does not have all of {needed}."));
        }
        Ok(chosen)
    }

    fn is_complete(&self) -> bool {
        NEEDED.iter().all(|name| self.path(name).is_file())
    }

    /// Returns the path of a program.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Returns a command for a client program of PostgreSQL.
    pub(crate) fn client(&self, name: &str) -> Command {
        let mut command = Command::new(self.path(name));
        clear_settings(&mut command);
        command
    }
}

/// Removes `PGHOST`, `PGSSLMODE` and the like, which would select another server, and sets the
/// language to English, because messages are parsed.
pub(crate) fn clear_settings(command: &mut Command) {
    let is_of_postgres = |name: &OsStr| name.as_encoded_bytes().starts_with(b"PG");
    for (name, _) in env::vars_os().filter(|(name, _)| is_of_postgres(name)) {
        command.env_remove(name);
    }
    command.env("LC_ALL", "C");
}

fn named_by_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(folder.trim()))
}

/// Returns the folders of versions from Debian's packages, newest first.
fn of_debian() -> Vec<PathBuf> {
    let entries = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let mut versions: Vec<_> = entries.map(|entry| entry.path()).collect();
    versions.sort_by_key(|path| std::cmp::Reverse(version(path)));
    versions.into_iter().map(|version| version.join("bin")).collect()
}

/// Returns the version in a folder's name as numbers: `9.6` is older than `15`.
fn version(folder: &Path) -> Vec<u32> {
    let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// Returns the real folders of `postgres` in the PATH: next to a link, the other programs may be
/// missing.
fn in_path() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).filter_map(|it| it.join("postgres").canonicalize().ok());
    found.filter_map(|program| Some(program.parent()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_folder_without_the_programs_is_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let refusal =
            Programs::in_chosen(folder.path().to_owned()).expect_err("the folder is empty");
        let start = format!("{CHOSEN} is {}, which", folder.path().display());
        assert!(refusal.starts_with(&start), "{refusal}");
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(version(Path::new("/x/15")) > version(Path::new("/x/9.6")));
        assert!(version(Path::new("/x/9.6")) > version(Path::new("/x/9.5")));
    }
}
