//! Checks this machine: disk, open files, certificate.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use confab_domain::time::Timestamp;
use confab_runtime::clock;
use confab_runtime::config::{Config, Effective};
use confab_runtime::process::tls;
use rustix::process::{Resource, getrlimit};

use super::finding::{Findings, Level};

/// Minimum free disk space in bytes, below which database writes will soon fail.
const FREE_BYTES_MIN: u64 = 64 * 1024 * 1024;
/// Duration of an fsync above which posting a message is noticeably slow, because every commit
/// waits for an fsync.
const FSYNC_SLOW: Duration = Duration::from_millis(50);
/// Duration of an fsync above which requests time out before their commit.
const FSYNC_HOPELESS: Duration = Duration::from_secs(1);
/// Number of fsyncs that are measured. The median of their durations is reported.
const FSYNCS: usize = 11;
/// Limit on open files below which a server accepts only few connections.
const OPEN_FILES_FEW: u64 = 4096;
/// Number of days before a certificate's expiry from which it is reported.
const CERTIFICATE_SOON_DAYS: i64 = 14;

pub(super) fn check(settings: &Effective, config: &Config, findings: &mut Findings) {
    let folder = Path::new(settings.text("data"));
    check_folder(folder, config.free_space_min_bytes, findings);
    check_open_files(getrlimit(Resource::Nofile).maximum, findings);
    match settings.given("tls_cert") {
        Some(file) => check_certificate(&file, clock::now(), findings),
        None => findings
            .ok("certificate", "not set: connections are encrypted by a proxy, or not at all"),
    }
}

fn check_folder(folder: &Path, floor_bytes: u64, findings: &mut Findings) {
    let shown = folder.display();
    if !folder.exists() {
        findings
            .ok("data folder", format!("{shown} does not exist yet; the first start creates it"));
        return;
    }
    let mode = fs::metadata(folder).map_or(0, |found| found.permissions().mode());
    // With the sticky bit, users can replace only their own files.
    if mode & 0o022 != 0 && mode & 0o1000 == 0 {
        let found =
            format!("other users of this machine can write to {shown} and replace the database");
        findings.warning("data folder", found, format!("chmod go-w {shown}"));
    }
    match rustix::fs::statvfs(folder) {
        Ok(there) => {
            let free = there.f_bavail.saturating_mul(there.f_frsize);
            check_free_space(free, floor_bytes, findings);
        }
        Err(error) => findings.warning("disk", format!("{shown}: {error}"), "check the disk"),
    }
    match median_fsync(folder) {
        Ok(took) => check_fsync(took, findings),
        Err(error) => findings.trouble(
            "data folder",
            format!("cannot write to {shown}: {error}"),
            "run doctor as the server's user, and make that user the owner of the folder",
        ),
    }
}

fn check_free_space(free: u64, floor: u64, findings: &mut Findings) {
    let found = format!("{} MB are free", free / 1_000_000);
    if free < FREE_BYTES_MIN || free < floor {
        let found = format!("{found}, less than required (free_space_min_bytes {floor})");
        findings.trouble(
            "disk",
            found,
            "free some space: uploads are refused, and soon all writes will be",
        );
    } else if free / 2 < floor {
        findings.warning("disk", found, "free some space: uploads are refused below half of this");
    } else {
        findings.ok("disk", found);
    }
}

/// Measures the median time that a small write takes to reach the disk.
fn median_fsync(folder: &Path) -> io::Result<Duration> {
    let path = folder.join(format!("doctor-{}.unfinished", std::process::id()));
    let mut file = File::options().write(true).create_new(true).open(&path)?;
    let mut took = Vec::new();
    let measured = (0..FSYNCS).try_for_each(|_| {
        let begun = Instant::now();
        file.write_all(&[0x5e; 4096])?;
        file.sync_data()?;
        took.push(begun.elapsed());
        Ok(())
    });
    fs::remove_file(&path)?;
    took.sort_unstable();
    measured.map(|()| took[FSYNCS / 2])
}

fn check_fsync(took: Duration, findings: &mut Findings) {
    let found = format!("an fsync takes {:.1} ms", took.as_secs_f64() * 1000.0);
    let advice = "put the data on a local disk, preferably with a power-loss-protected cache: \
        every commit waits for an fsync";
    match took {
        _ if took < FSYNC_SLOW => findings.ok("fsync", found),
        _ if took < FSYNC_HOPELESS => findings.warning("fsync", found, advice),
        _ => findings.trouble("fsync", found, advice),
    }
}

fn check_open_files(allowed: Option<u64>, findings: &mut Findings) {
    let found = match allowed {
        None => "unlimited".to_owned(),
        Some(allowed) => format!("at most {allowed}"),
    };
    if allowed.is_some_and(|allowed| allowed < OPEN_FILES_FEW) {
        let advice = "raise the limit for the server (LimitNOFILE in a systemd unit, or ulimit \
            -n): every connection needs one";
        findings.warning("open files", found, advice);
    } else {
        findings.ok("open files", found);
    }
}

fn check_certificate(file: &str, now: Timestamp, findings: &mut Findings) {
    let Some(until) = tls::expires_at(Path::new(file)) else {
        let advice = "check it with openssl x509 -enddate";
        findings.warning("certificate", format!("{file} has no readable expiry time"), advice);
        return;
    };
    let days = (until.0 - now.0).div_euclid(86_400_000_000);
    let level = match days {
        ..0 => Level::Trouble,
        0..CERTIFICATE_SOON_DAYS => Level::Warning,
        _ => Level::Ok,
    };
    let found = match level {
        Level::Trouble => format!("{file} expired {} days ago", -days),
        _ => format!("{file} is valid for {days} more days"),
    };
    let advice = match level {
        Level::Ok => "",
        _ => "renew it; the server loads the new certificate by itself",
    };
    findings.add("certificate", level, found, advice);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(check: impl FnOnce(&mut Findings)) -> Level {
        let mut findings = Findings::default();
        check(&mut findings);
        findings.0[0].level
    }

    #[test]
    fn free_space_is_compared_with_the_configured_minimum() {
        let level = |free, floor| found(|findings| check_free_space(free, floor, findings));
        let gb = 1_000_000_000;
        assert_eq!(level(10 * gb, gb), Level::Ok);
        assert_eq!(level(gb + gb / 2, gb), Level::Warning);
        assert_eq!(level(gb / 2, gb), Level::Trouble);
        assert_eq!(level(gb, 0), Level::Ok);
        assert_eq!(level(1_000_000, 0), Level::Trouble);
    }

    #[test]
    fn a_slow_fsync_is_a_warning_and_a_very_slow_one_is_trouble() {
        let level = |ms| found(|findings| check_fsync(Duration::from_millis(ms), findings));
        assert_eq!([level(2), level(50), level(1000)], [Level::Ok, Level::Warning, Level::Trouble]);
    }

    #[test]
    fn a_certificate_near_its_expiry_is_a_warning_and_an_expired_one_is_trouble() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cert.pem");
        let mut wanted = rcgen::CertificateParams::new(["localhost".to_owned()]).expect("a name");
        wanted.not_before = rcgen::date_time_ymd(2030, 1, 1);
        wanted.not_after = rcgen::date_time_ymd(2030, 3, 1);
        let key = rcgen::KeyPair::generate().expect("a key");
        fs::write(&file, wanted.self_signed(&key).expect("signed").pem()).expect("written");
        let file = file.to_str().expect("text");
        let level = |day: &str| {
            let now: jiff::Timestamp = format!("{day}T12:00:00Z").parse().expect("a time");
            let now = Timestamp(now.as_microsecond());
            found(|findings| check_certificate(file, now, findings))
        };
        assert_eq!(level("2030-01-15"), Level::Ok);
        assert_eq!(level("2030-02-20"), Level::Warning);
        assert_eq!(level("2030-03-02"), Level::Trouble);
    }

    #[test]
    fn a_low_limit_of_open_files_is_a_warning() {
        let level = |allowed| found(|findings| check_open_files(allowed, findings));
        assert_eq!(level(None), Level::Ok);
        assert_eq!(level(Some(65_536)), Level::Ok);
        assert_eq!(level(Some(1024)), Level::Warning);
    }
}
