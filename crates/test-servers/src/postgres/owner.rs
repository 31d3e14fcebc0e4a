//! The user that the server runs as. PostgreSQL refuses to run as root. If the tests run as root,
//! as in many containers, the folder and the processes belong to the user `postgres`, which
//! PostgreSQL's package creates.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const ROOT: u32 = 0;
const STAND_IN: &str = "postgres";

/// User and group to run as; `None` means those of the test.
#[derive(Clone, Copy)]
pub(crate) struct Owner(Option<(u32, u32)>);

impl Owner {
    /// Gives a new folder to a user that PostgreSQL can run as.
    pub(crate) fn of_folder(folder: &Path) -> Result<Self, String> {
        let metadata = fs::metadata(folder).map_err(|why| format!("no folder for it: {why}."))?;
        if metadata.uid() != ROOT {
            return Ok(Self(None));
        }
        let (user, group) = (id_of_stand_in("-u")?, id_of_stand_in("-g")?);
        chown(folder, Some(user), Some(group))
            .map_err(|why| format!("its folder cannot be given to `{STAND_IN}`: {why}."))?;
        Ok(Self(Some((user, group))))
    }

    /// Makes a command run as the owner.
    pub(crate) fn run(self, command: &mut Command) {
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
    }
}

fn id_of_stand_in(which: &str) -> Result<u32, String> {
    let output = Command::new("id").args([which, STAND_IN]).output();
    let printed = output.map(|it| String::from_utf8_lossy(&it.stdout).trim().parse());
    match printed {
        Ok(Ok(id)) => Ok(id),
        _ => Err(format!("it does not run as root, and there is no user `{STAND_IN}` to run as.")),
    }
}
