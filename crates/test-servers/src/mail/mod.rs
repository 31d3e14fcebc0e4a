//! Mail servers for tests: dovecot with mailboxes (IMAP) and delivery into them (LMTP), and
//! aiosmtpd, which stores the mails that it receives.

use std::io::{self, BufRead, BufReader, Lines, Write};
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::guard::{Guard, Program};
use crate::starting::{PATIENCE, StartFailure, find, start_on_a_free_port, wait_until_it_listens};

const CONFIG: &str = include_str!("dovecot.conf");
const SMTP: &str = include_str!("smtp.py");
const PYTHON: &str = "CONFAB_TEST_SMTP_PYTHON";
const GREETING_WITHIN: Duration = Duration::from_millis(500);
/// The owner of mails if a test runs as root, because dovecot accepts no mailboxes of root.
const NOBODY: u32 = 65534;

/// A dovecot for this test process. Any user name has a mailbox, with one common password.
pub struct Mailboxes {
    folder: PathBuf,
    imap_port: u16,
    imaps_port: u16,
    lmtp_port: u16,
    /// In a mutex, because all tests of a process share it.
    _guard: Mutex<Guard>,
}

/// A certificate and its key, in PEM.
#[derive(Clone, Copy)]
pub struct Certificate<'a> {
    pub certificate: &'a str,
    pub key: &'a str,
}

impl Certificate<'_> {
    /// Writes both into a folder, as `certificate.pem` and `key.pem`.
    fn write(self, folder: &Path) -> std::io::Result<()> {
        fs::write(folder.join("certificate.pem"), self.certificate)?;
        fs::write(folder.join("key.pem"), self.key)
    }
}

/// Settings of dovecot with TLS.
const ENCRYPTED: &str = "ssl = yes\nssl_cert = <FOLDER/certificate.pem\nssl_key = <FOLDER/key.pem";

impl Mailboxes {
    /// Starts the server. Panics if it cannot start.
    pub fn start(password: &str) -> Self {
        Self::start_with(password, None)
    }

    /// Starts a server that also accepts TLS, by STARTTLS and from the first byte on.
    pub fn start_encrypted(password: &str, certificate: Certificate<'_>) -> Self {
        Self::start_with(password, Some(certificate))
    }

    fn start_with(password: &str, certificate: Option<Certificate<'_>>) -> Self {
        Self::try_start(password, certificate)
            .unwrap_or_else(|why| panic!("failed to start dovecot for the tests: {why}"))
    }

    fn try_start(password: &str, certificate: Option<Certificate<'_>>) -> Result<Self, String> {
        let program = find("dovecot").ok_or(
            "it is not found; run `apt-get install dovecot-imapd dovecot-lmtpd` (`make test` does \
             where it may).",
        )?;
        let mut started = None;
        start_on_a_free_port(|imap_port| {
            let [mut lmtp_port, mut imaps_port] = [0, 0];
            for other in [&mut lmtp_port, &mut imaps_port] {
                let take = |port| {
                    *other = port;
                    Ok(())
                };
                start_on_a_free_port(take).map_err(StartFailure::Because)?;
            }
            let imaps_port = if certificate.is_some() { imaps_port } else { 0 };
            let folder = tempfile::Builder::new().prefix("confab-dovecot-").tempdir();
            let folder = folder.map_err(|why| StartFailure::Because(why.to_string()))?.keep();
            let unmade = |why: std::io::Error| StartFailure::Because(why.to_string());
            let ssl = if certificate.is_some() { ENCRYPTED } else { "ssl = no" };
            certificate.map_or(Ok(()), |it| it.write(&folder)).map_err(unmade)?;
            let ports = [imap_port, imaps_port, lmtp_port];
            let config = configured(&folder, (password, ssl), ports).map_err(unmade)?;
            let arguments = ["-F".to_owned(), "-c".to_owned(), config];
            let program = Program { path: &program, arguments: &arguments, ends_by: "TERM KILL" };
            let guard = Guard::start(&folder, &program, |_| {});
            let guard = guard.map_err(StartFailure::without_shell)?;
            let is_ready = || {
                let imap = greets(imap_port, "* OK");
                imap && greets(lmtp_port, "220")
            };
            wait_until_it_listens(&guard, &folder, is_ready)?;
            let ports = (imap_port, imaps_port, lmtp_port);
            started = Some(Self::at(folder, ports, guard));
            Ok(())
        })?;
        started.ok_or_else(|| "it did not start.".to_owned())
    }

    fn at(
        folder: PathBuf,
        (imap_port, imaps_port, lmtp_port): (u16, u16, u16),
        guard: Guard,
    ) -> Self {
        Self { folder, imap_port, imaps_port, lmtp_port, _guard: Mutex::new(guard) }
    }

    /// Returns the port on 127.0.0.1 with TLS from the first byte on.
    pub fn imaps_port(&self) -> u16 {
        self.imaps_port
    }

    /// Returns the port on 127.0.0.1 without TLS.
    pub fn imap_port(&self) -> u16 {
        self.imap_port
    }

    /// Delivers a mail. It is in the mailbox when this returns.
    pub fn deliver(&self, from: &str, to: &str, mail: &str) {
        let mut client = LmtpClient::connect(self.lmtp_port).expect("it listens");
        let answers = client.hand_over(from, &[to], mail).expect("an answer");
        assert!(answers.iter().all(|it| it.starts_with("250")), "{answers:?}");
        client.says("QUIT").expect("an answer");
    }

    /// Returns the files of a mailbox.
    pub fn files(&self, of: &str) -> Vec<PathBuf> {
        let folder = self.folder.join("mail").join(of);
        let within = |name: &str| fs::read_dir(folder.join(name)).into_iter().flatten();
        let all = ["new", "cur"].into_iter().flat_map(within);
        all.filter_map(|it| it.ok().map(|it| it.path())).collect()
    }

    /// Renumbers a mailbox, as after a restored backup, once no client reads it. The mails stay,
    /// and so does dovecot's file with the last UIDVALIDITY: without it, a mailbox renumbered twice
    /// within a second would keep its UIDVALIDITY.
    pub fn renumber(&self, of: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.is_read(of) {
            assert!(Instant::now() < deadline, "no client reads the mailbox any longer");
        }
        let folder = self.folder.join("mail").join(of);
        for entry in fs::read_dir(&folder).expect("a mailbox").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("dovecot") && !name.starts_with("dovecot-uidvalidity") {
                fs::remove_file(entry.path()).expect("removed");
            }
        }
    }

    /// Whether a client is signed in to the mailbox.
    fn is_read(&self, of: &str) -> bool {
        let program = find("doveadm").expect("it comes with dovecot");
        let asking = Command::new(program)
            .arg("-c")
            .arg(self.folder.join("dovecot.conf"))
            .args(["who", "-1", of])
            .output()
            .expect("doveadm starts");
        let said = String::from_utf8_lossy(&asking.stdout);
        assert!(asking.status.success(), "{}", String::from_utf8_lossy(&asking.stderr));
        said.lines().any(|line| line.starts_with(of))
    }
}

/// An LMTP client: a mail server that delivers mails.
pub struct LmtpClient {
    stream: TcpStream,
    lines: Lines<BufReader<TcpStream>>,
}

impl LmtpClient {
    /// Connects and sends LHLO. Returns an error if the server refuses the connection.
    pub fn connect(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        let lines = BufReader::new(stream.try_clone()?).lines();
        let mut client = Self { stream, lines };
        match client.answer()? {
            greeting if greeting.starts_with("220") => {}
            refused => return Err(io::Error::other(refused)),
        }
        client.says("LHLO tests.example")?;
        Ok(client)
    }

    /// Sends a line. Returns the last line of the answer.
    pub fn says(&mut self, line: &str) -> io::Result<String> {
        self.writes(&format!("{line}\r\n"))?;
        self.answer()
    }

    /// Sends text without waiting for an answer.
    pub fn writes(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(text.as_bytes())
    }

    /// Reads the next answer. Returns its last line.
    pub fn answer(&mut self) -> io::Result<String> {
        loop {
            let line = self.lines.next().ok_or(io::ErrorKind::UnexpectedEof)??;
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(line);
            }
        }
    }

    /// Delivers a mail. Returns one answer per recipient: the refusal of the recipient, or the
    /// result of the delivery.
    pub fn hand_over(&mut self, from: &str, to: &[&str], mail: &str) -> io::Result<Vec<String>> {
        let mut answers = vec![self.says(&format!("MAIL FROM:<{from}>"))?; to.len()];
        for (answer, to) in answers.iter_mut().zip(to) {
            *answer = self.says(&format!("RCPT TO:<{to}>"))?;
        }
        if answers.iter().all(|it| !it.starts_with("250")) {
            self.says("RSET")?;
            return Ok(answers);
        }
        let begun = self.says("DATA")?;
        if !begun.starts_with("354") {
            return Err(io::Error::other(begun));
        }
        let mail = mail.replace("\r\n", "\n").replace('\n', "\r\n").replace("\r\n.", "\r\n..");
        self.writes(&format!("{mail}\r\n.\r\n"))?;
        for answer in answers.iter_mut().filter(|it| it.starts_with("250")) {
            *answer = self.answer()?;
        }
        Ok(answers)
    }
}

/// Writes the configuration file. Returns its path.
fn configured(
    folder: &Path,
    (password, ssl): (&str, &str),
    [imap, imaps, lmtp]: [u16; 3],
) -> std::io::Result<String> {
    let mail = folder.join("mail");
    fs::create_dir(&mail)?;
    fs::create_dir(folder.join("state"))?;
    let user = fs::metadata(folder).map(|it| std::os::unix::fs::MetadataExt::uid(&it))?;
    let group = fs::metadata(folder).map(|it| std::os::unix::fs::MetadataExt::gid(&it))?;
    let (uid, gid, owner) = match user {
        0 => {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
            chown(&mail, Some(NOBODY), Some(NOBODY))?;
            (NOBODY, NOBODY, String::new())
        }
        _ => {
            let name = env::var("USER").unwrap_or_default();
            let owner = format!("default_internal_user = {name}\ndefault_login_user = {name}");
            (user, group, owner)
        }
    };
    let config = CONFIG
        .replace("SSL", ssl)
        .replace("FOLDER", &folder.to_string_lossy())
        .replace("OWNER", &owner)
        .replace("PASSWORD", password)
        .replace("UID", &uid.to_string())
        .replace("GID", &gid.to_string())
        .replace("IMAPS_PORT", &imaps.to_string())
        .replace("IMAP_PORT", &imap.to_string())
        .replace("LMTP_PORT", &lmtp.to_string());
    let path = folder.join("dovecot.conf");
    fs::write(&path, config)?;
    Ok(path.to_string_lossy().into_owned())
}

/// An SMTP server for this test process. It stores the mails that it receives.
pub struct SmtpServer {
    folder: PathBuf,
    port: u16,
    _guard: Guard,
}

impl SmtpServer {
    /// Starts the server. Panics if it cannot start.
    pub fn start(password: &str) -> Self {
        Self::start_with(password, None)
    }

    /// Starts a server that accepts mails only after STARTTLS.
    pub fn start_encrypted(password: &str, certificate: Certificate<'_>) -> Self {
        Self::start_with(password, Some(certificate))
    }

    fn start_with(password: &str, certificate: Option<Certificate<'_>>) -> Self {
        Self::try_start(password, certificate)
            .unwrap_or_else(|why| panic!("failed to start aiosmtpd for the tests: {why}"))
    }

    fn try_start(password: &str, certificate: Option<Certificate<'_>>) -> Result<Self, String> {
        let python = python()?;
        let mut started = None;
        start_on_a_free_port(|port| {
            let folder = tempfile::Builder::new().prefix("confab-smtp-").tempdir();
            let folder = folder.map_err(|why| StartFailure::Because(why.to_string()))?.keep();
            let arguments = ["-c", SMTP, &port.to_string(), &folder.to_string_lossy(), password];
            let mut arguments = arguments.map(str::to_owned).to_vec();
            if let Some(certificate) = certificate {
                let unmade = |why: std::io::Error| StartFailure::Because(why.to_string());
                certificate.write(&folder).map_err(unmade)?;
                let files = ["certificate.pem", "key.pem"].map(|name| folder.join(name));
                arguments.extend(files.map(|it| it.to_string_lossy().into_owned()));
            }
            let program = Program { path: &python, arguments: &arguments, ends_by: "KILL" };
            let guard = Guard::start(&folder, &program, |_| {});
            let guard = guard.map_err(StartFailure::without_shell)?;
            wait_until_it_listens(&guard, &folder, || greets(port, "220"))?;
            started = Some(Self { folder, port, _guard: guard });
            Ok(())
        })?;
        started.ok_or_else(|| "it did not start.".to_owned())
    }

    /// Returns the port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Replaces the accepted password.
    pub fn set_password(&self, password: &str) {
        fs::write(self.folder.join("password"), password).expect("written");
    }

    /// Stops announcing SMTPUTF8.
    pub fn announce_ascii_only(&self) {
        fs::write(self.folder.join("ascii_only"), "").expect("written");
    }

    /// Returns the received mails, oldest first. Their `X-From` and `X-To` headers hold the
    /// envelope.
    pub fn mails(&self) -> Vec<String> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let is_mail = |it: &PathBuf| it.extension().is_some_and(|it| it == "eml");
        let mut files: Vec<_> = files.map(|it| it.path()).filter(is_mail).collect();
        files.sort();
        let text =
            |it: &PathBuf| String::from_utf8_lossy(&fs::read(it).expect("a mail")).into_owned();
        files.iter().map(text).collect()
    }
}

/// Returns the Python interpreter that has aiosmtpd.
pub fn python() -> Result<PathBuf, String> {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/aiosmtpd/bin/python");
    let python = env::var_os(PYTHON).map_or(usual, PathBuf::from);
    if !python.is_file() {
        let why = "run scripts/install-test-tools, or set CONFAB_TEST_SMTP_PYTHON.";
        return Err(format!("{} is not there; {why}", python.display()));
    }
    Ok(python)
}

fn greets(port: u16, with: &str) -> bool {
    let greeting = || {
        let stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.set_read_timeout(Some(GREETING_WITHIN)).ok()?;
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).ok()?;
        Some(line)
    };
    greeting().is_some_and(|line| line.starts_with(with))
}
