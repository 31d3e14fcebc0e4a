//! How full the disk may be made by files, and how full it is (D-0080).

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{StatVfs, fstatvfs, statvfs};

/// What must stay free.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreeSpace {
    floor_bytes: u64,
}

impl FreeSpace {
    /// Files may take everything but this; 0 takes everything.
    pub(super) const fn new(floor_bytes: u64) -> Self {
        Self { floor_bytes }
    }

    /// Fails as a full disk does when less is free where the file is.
    pub(super) fn check(self, file: &File) -> io::Result<()> {
        if self.floor_bytes == 0 {
            return Ok(());
        }
        let free = free_bytes(&fstatvfs(file)?);
        if free < self.floor_bytes { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

/// Shows how much is free where data and files are; the least, if these are several disks.
pub(super) fn show(folders: [&Path; 2]) {
    let there = folders.into_iter().filter_map(|folder| statvfs(folder).ok());
    if let Some(free) = there.map(|it| free_bytes(&it)).min() {
        metrics::gauge!("confab_free_space_bytes").set(free as f64);
    }
}

fn free_bytes(there: &StatVfs) -> u64 {
    there.f_bavail.saturating_mul(there.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_when_less_is_free_than_must_stay() {
        let file = tempfile::tempfile().expect("a file");
        FreeSpace::new(0).check(&file).expect("no floor");
        FreeSpace::new(1).check(&file).expect("more is free");
        let full = FreeSpace::new(u64::MAX).check(&file).expect_err("less is free");
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    }
}
