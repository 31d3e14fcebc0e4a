//! Third-party packages that tests need, installed once for each build folder.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

const PLACES: &str = env!("CARGO_TARGET_TMPDIR");

/// Returns the folder of this name, created by `install` unless it exists. It exists completely or
/// not at all, also after failures and with concurrent installations.
pub fn installed(name: &str, install: impl FnOnce(&Path)) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let place = Path::new(PLACES).join(name);
    if !place.exists() {
        let folder = tempfile::tempdir_in(PLACES).expect("a folder");
        install(folder.path());
        let moved = std::fs::rename(folder.path(), &place);
        // The test run on the other engine may have installed it first.
        assert!(moved.is_ok() || place.exists(), "{moved:?}");
    }
    place
}

/// Returns the `node_modules` folder with the packages that the lock file of `scripts` names.
pub fn node_modules(name: &str, scripts: &Path) -> PathBuf {
    let files = ["package.json", "package-lock.json"];
    let mut version = DefaultHasher::new();
    for name in files {
        std::fs::read(scripts.join(name)).expect("a file").hash(&mut version);
    }
    let folder = installed(&format!("{name}-{:016x}", version.finish()), |folder| {
        for name in files {
            std::fs::copy(scripts.join(name), folder.join(name)).expect("copied");
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries", "10"]);
        npm.current_dir(folder);
        ran(npm);
    });
    folder.join("node_modules")
}

/// Runs a program to its end and returns its standard output. Panics if the program fails.
pub fn ran(mut command: Command) -> String {
    let name = format!("{:?}", command.get_program());
    let ended = command.stdin(Stdio::null()).output();
    let ended = ended.unwrap_or_else(|error| panic!("{name} is needed: {error}"));
    let output = String::from_utf8_lossy(&ended.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{name} failed: {output}{errors}");
    output
}
