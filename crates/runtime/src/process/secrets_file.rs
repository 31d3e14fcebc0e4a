//! The file with the keys that encrypt the secrets in the database: one key, or two during a key
//! change (D-0086).
//!
//! The file is created at the first start, readable by its owner only, and always replaced as a
//! whole: concurrent readers, and readers after a crash, see either the old or the new file.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use confab_domain::limits::SECRETS_KEY_FILE_BYTES_MAX;
use confab_store::{KEY_BYTES, KeyFile, Location, Sealer, SecretKey, StoreError};

use crate::ids;

const HEAD: &str = "\
# These keys encrypt the secrets in Confab's database. Keep a copy, apart from backups of the
# database: without the keys, the secrets are lost.
# To replace the key: confab secrets --help
";

/// The purpose of a key in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Encrypts and decrypts secrets.
    Seals,
    /// A new key during a key change, not yet used for encryption.
    Staged,
    /// The previous key during a key change. Decrypts the secrets that are not yet encrypted with
    /// the new key.
    Old,
}

impl Use {
    const ALL: [Self; 3] = [Self::Seals, Self::Staged, Self::Old];

    /// Returns the word with which the key's line in the file starts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seals => "key",
            Self::Staged => "staged",
            Self::Old => "old",
        }
    }
}

/// A key with its purpose, as written in the file. No `Debug`: it is secret.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyLine {
    pub used: Use,
    bytes: [u8; KEY_BYTES],
}

impl KeyLine {
    /// Generates a key.
    pub fn random(used: Use) -> Self {
        Self { used, bytes: ids::key() }
    }

    /// Returns the same key with another purpose.
    pub fn for_use(self, used: Use) -> Self {
        Self { used, ..self }
    }

    /// Returns the id of the key.
    pub fn id(&self) -> String {
        SecretKey::new(&self.bytes).id().to_owned()
    }

    fn parse(text: &str) -> Option<Self> {
        let (word, digits) = text.split_once(' ')?;
        let used = Use::ALL.into_iter().find(|used| used.as_str() == word)?;
        let digits = digits.trim();
        if digits.len() != 2 * KEY_BYTES || !digits.is_ascii() {
            return None;
        }
        let mut bytes = [0; KEY_BYTES];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(Self { used, bytes })
    }

    fn written(&self) -> String {
        format!("{} {}\n", self.used.as_str(), ids::hex(&self.bytes))
    }
}

/// The keys of a file: the one that encrypts, and a second one during a key change.
pub struct SealingKeys {
    pub seals: KeyLine,
    pub other: Option<KeyLine>,
}

impl SealingKeys {
    fn of(lines: Vec<KeyLine>) -> Option<Self> {
        let (mut seals, mut others): (Vec<_>, Vec<_>) =
            lines.into_iter().partition(|line| line.used == Use::Seals);
        let (seals, other) = (seals.pop().filter(|_| seals.is_empty())?, others.pop());
        others.is_empty().then_some(Self { seals, other })
    }

    /// Iterates over the keys, the encrypting one first.
    pub fn all(&self) -> impl Iterator<Item = &KeyLine> {
        std::iter::once(&self.seals).chain(&self.other)
    }
}

/// Handle of the file with the keys, which may not exist yet.
#[derive(Clone)]
pub struct SecretsFile {
    path: PathBuf,
}

impl SecretsFile {
    /// Returns a handle of the file at this path, whether or not the file exists.
    pub fn at(path: impl AsRef<Path>) -> Self {
        Self { path: path.as_ref().to_owned() }
    }

    /// Opens the sealer of a database, which uses the keys of this file.
    pub async fn sealer(&self, location: &Location) -> Result<Arc<Sealer>, StoreError> {
        Sealer::open(location, Box::new(self.clone())).await
    }

    /// Returns the file's permission bits if users other than its owner have access to it.
    pub fn open_to_others(&self) -> Option<u32> {
        let mode = fs::metadata(&self.path).ok()?.permissions().mode() & 0o777;
        Some(mode).filter(|mode| mode & 0o077 != 0)
    }

    /// Reads the keys from the file. Returns `None` if the file does not exist.
    pub fn keys(&self) -> Result<Option<SealingKeys>, String> {
        let wrong = |reason: &str| format!("the key file {} {reason}", self.path.display());
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let reason =
                    format!("cannot be read ({error}); run the command as the server's user");
                return Err(wrong(&reason));
            }
        };
        let mut text = String::new();
        // A longer file is cut, and its last line then fails to parse.
        let read = file.take(SECRETS_KEY_FILE_BYTES_MAX).read_to_string(&mut text);
        read.map_err(|error| wrong(&format!("cannot be read ({error})")))?;
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        // Quote no line in the error: it may contain most of a key.
        let keys = lines.map(KeyLine::parse).collect::<Option<Vec<_>>>().and_then(SealingKeys::of);
        let expected = "must contain one `key` line, and at most one `staged` or `old` line; \
            restore the previous file";
        keys.map(Some).ok_or_else(|| wrong(expected))
    }

    /// Replaces the file atomically.
    pub fn write(&self, keys: &SealingKeys) -> Result<(), String> {
        let replaced = self.unfinished(keys).and_then(|unfinished| {
            fs::rename(unfinished, &self.path)?;
            File::open(parent(&self.path))?.sync_all()
        });
        replaced.map_err(|error| self.not_written(&error))
    }

    /// Writes the keys to a temporary file with mode 0600, syncs it and returns its path.
    fn unfinished(&self, keys: &SealingKeys) -> std::io::Result<PathBuf> {
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!(".unfinished-{}", std::process::id()));
        let path = PathBuf::from(name);
        if let Err(error) = fs::remove_file(&path)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(error);
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let text: String = keys.all().map(KeyLine::written).collect();
        file.write_all(format!("{HEAD}{text}").as_bytes())?;
        file.sync_all()?;
        Ok(path)
    }

    /// Creates the file with a new key. Succeeds if another process created the file first.
    fn make_whole(&self) -> std::io::Result<()> {
        let folder = parent(&self.path);
        if !folder.is_dir() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let keys = SealingKeys { seals: KeyLine::random(Use::Seals), other: None };
        let unfinished = self.unfinished(&keys)?;
        // Unlike a rename, a hard link never replaces an existing file.
        let linked = fs::hard_link(&unfinished, &self.path);
        fs::remove_file(&unfinished)?;
        match linked {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            linked => linked.and_then(|()| File::open(folder)?.sync_all()),
        }
    }

    fn not_written(&self, error: &std::io::Error) -> String {
        format!("the key file {} cannot be written: {error}", self.path.display())
    }
}

impl KeyFile for SecretsFile {
    fn read(&self) -> Result<Option<Vec<SecretKey>>, String> {
        let keys = self.keys()?;
        Ok(keys.map(|keys| keys.all().map(|line| SecretKey::new(&line.bytes)).collect()))
    }

    fn make(&self) -> Result<(), String> {
        self.make_whole().map_err(|error| self.not_written(&error))
    }

    fn nonce(&self) -> [u8; 12] {
        ids::nonce()
    }

    fn shown(&self) -> String {
        format!("the key file {}", self.path.display())
    }
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> (tempfile::TempDir, SecretsFile) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = SecretsFile::at(folder.path().join("secrets.key"));
        (folder, file)
    }

    #[test]
    fn a_key_file_is_created_once_and_for_its_owner_only() {
        let (folder, _) = file();
        let file = SecretsFile::at(folder.path().join("new").join("secrets.key"));
        assert!(file.keys().expect("read").is_none());
        file.make().expect("created");
        let mode = fs::metadata(&file.path).expect("the file exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(file.open_to_others(), None);
        let before = fs::read(&file.path).expect("read");
        file.make().expect("an existing file is left unchanged");
        assert_eq!(fs::read(&file.path).expect("read"), before);
        let keys = file.keys().expect("read").expect("keys");
        assert!(keys.seals.used == Use::Seals && keys.other.is_none());
        let left = fs::read_dir(folder.path().join("new")).expect("read").count();
        assert_eq!(left, 1, "no temporary file is left");
    }

    #[test]
    fn two_keys_are_stored_with_their_use_and_a_rewritten_file_keeps_its_mode() {
        let (folder, file) = file();
        for used in [Use::Staged, Use::Old] {
            let (seals, other) = (KeyLine::random(Use::Seals), KeyLine::random(used));
            let keys = SealingKeys { seals: seals.clone(), other: Some(other.clone()) };
            file.write(&keys).expect("written");
            let read = file.keys().expect("read").expect("keys");
            assert!(read.seals == seals && read.other == Some(other));
            assert_eq!(file.read().expect("read").expect("keys")[0].id(), seals.id());
        }
        let mode = fs::metadata(&file.path).expect("the file exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(
            fs::read_dir(folder.path()).expect("read").count(),
            1,
            "no temporary file is left"
        );
    }

    #[test]
    fn a_truncated_or_foreign_key_file_is_rejected_without_quoting_it() {
        let (_folder, file) = file();
        let good = KeyLine::random(Use::Seals).written();
        let old = KeyLine::random(Use::Old).written();
        let (twice, cut) = (good.repeat(2), &good[..40]);
        for text in ["", "# nothing", "key 12", cut, &twice, &old, "{\"planted\": 1}"] {
            fs::write(&file.path, text).expect("written");
            let error = file.keys().err().expect("refused");
            assert!(error.contains("secrets.key") && !error.contains("planted"), "{error}");
            assert!(!error.contains(&good[4..20]), "{error}");
        }
        fs::write(&file.path, format!("\n# a note\n{old}  {good}\r\n")).expect("written");
        assert!(file.keys().expect("read").expect("keys").seals.written() == good);
    }
}
