//! The name of a node's file storage, which nodes compare to find out whether they share it
//! (design/files).
//!
//! A bucket has a name. A folder gets one: the server creates a file in it with a random id, which
//! all nodes that mount the folder read.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::config::Config;
use crate::ids;

/// Name of the file that contains the folder's id.
const NAME: &str = "place";

/// Returns the name of the file storage. Names the folder if it has no name yet; if that fails,
/// returns a random name that no other node has.
pub fn name_place(config: &Config) -> String {
    named_place(config).unwrap_or_else(|| {
        let folder = &config.files_folder;
        let id = name_folder(folder).unwrap_or_else(|error| {
            tracing::warn!(path = %folder.display(), %error, "failed to name the files folder");
            ids::secret()
        });
        of_folder(&id)
    })
}

/// Returns the name of the file storage if it has one.
pub fn named_place(config: &Config) -> Option<String> {
    match &config.s3 {
        Some(s3) => Some(format!("bucket {}", s3.bucket)),
        None => fs::read_to_string(config.files_folder.join(NAME)).ok().map(|id| of_folder(&id)),
    }
}

fn of_folder(id: &str) -> String {
    format!("folder {}", id.trim_end())
}

/// Creates the file with the folder's id, and returns the id. If several nodes do this
/// concurrently, all get the id of the first one.
fn name_folder(folder: &Path) -> io::Result<String> {
    fs::create_dir_all(folder)?;
    let (id, name) = (ids::secret()[..16].to_owned(), folder.join(NAME));
    let unfinished = folder.join(format!("{NAME}.{id}"));
    let mut file = File::options().write(true).create_new(true).open(&unfinished)?;
    writeln!(file, "{id}")?;
    file.sync_all()?;
    let named = match fs::hard_link(&unfinished, &name) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // Some file systems do not support hard links.
        Err(_) => fs::rename(&unfinished, &name),
    };
    let _ = fs::remove_file(&unfinished);
    named?;
    File::open(folder)?.sync_all()?;
    fs::read_to_string(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_named_by_many_nodes_has_one_name() {
        let folder = tempfile::tempdir().expect("a temporary folder is created");
        let folder = folder.path().join("files");
        let name = || name_folder(&folder).expect("the folder is named");
        let names: Vec<_> = std::thread::scope(|scope| {
            let naming: Vec<_> = (0..16).map(|_| scope.spawn(name)).collect();
            naming.into_iter().map(|one| one.join().expect("the thread does not panic")).collect()
        });
        assert!(names.iter().all(|it| *it == names[0] && it.len() > 16), "{names:?}");
        let left: Vec<_> =
            fs::read_dir(&folder).expect("the folder is readable").flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}
