//! The disk space that uploads must leave free, and the metric of free space (design/files).

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{StatVfs, fstatvfs, statvfs};

/// The minimum free disk space, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreeSpace {
    floor_bytes: u64,
}

impl FreeSpace {
    /// Creates a limit; 0 disables the check.
    pub(super) const fn new(floor_bytes: u64) -> Self {
        Self { floor_bytes }
    }

    /// Fails like a write to a full disk if the file's disk has less free space than the minimum.
    pub(super) fn check(self, file: &File) -> io::Result<()> {
        if self.floor_bytes == 0 {
            return Ok(());
        }
        let free = free_bytes(&fstatvfs(file)?);
        if free < self.floor_bytes { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

/// Publishes the free space of the data folder's and the files folder's disks as a metric. If the
/// disks differ, the metric is the smaller value.
pub(super) fn show(folders: [&Path; 2]) {
    let disks = folders.into_iter().filter_map(|folder| statvfs(folder).ok());
    if let Some(free) = disks.map(|it| free_bytes(&it)).min() {
        metrics::gauge!("confab_free_space_bytes").set(free as f64);
    }
}

fn free_bytes(stats: &StatVfs) -> u64 {
    stats.f_bavail.saturating_mul(stats.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_fails_when_too_little_space_is_free() {
        let file = tempfile::tempfile().expect("a file");
        FreeSpace::new(0).check(&file).expect("no limit is set");
        FreeSpace::new(1).check(&file).expect("enough space is free");
        let full = FreeSpace::new(u64::MAX).check(&file).expect_err("too little space is free");
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    }
}
