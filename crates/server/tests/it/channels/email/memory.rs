//! The memory for a mail received by LMTP is bounded by a multiple of its size for any content.

use confab_test_servers::mail::{LmtpClient, SmtpServer};

use super::stage::{ANA, PASSWORD, connect, new_address, without_mailbox};
use crate::support::office::Office;
use crate::support::process::Folder;

const BYTES: usize = 24_000_000;

/// Limit on the memory for a mail, as a multiple of its size.
const TIMES_MAX: u64 = 8;

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_for_a_mail_is_at_most_eight_times_its_size() {
    let smtp = SmtpServer::start(PASSWORD);
    let address = new_address();
    let folder = Folder::with_app().await;
    let server = folder.serve_with(&["--lmtp-listen", "127.0.0.1:0"], &[]);
    connect(&Office::of(&server.shop()), without_mailbox(&address, &smtp)).await.data();
    let line = server.log.wait_for("listening for LMTP");
    let port = line.rsplit(':').next().and_then(|it| it.trim().parse().ok()).expect("a port");
    let head = format!("From: {ANA}\n");
    let filled = |head: &str, line: &str| {
        // Each line feed becomes two bytes in transit.
        let bytes = line.len() + line.matches('\n').count();
        format!("{head}{}", line.repeat(BYTES / bytes))
    };
    let mixed = format!("{head}Content-Type: multipart/mixed; boundary=b\n\n--b\n");
    let before = server.memory_peak_kib();
    for (what, mail) in [
        ("empty lines", filled(&format!("{head}\nhello"), "\n")),
        ("quoted lines", filled(&format!("{head}\nhello\n"), ">\n")),
        ("drawn lines", filled(&format!("{head}\nhello\n"), "-\n")),
        ("fields of a part", filled(&mixed, "x:\n") + "\nhello\n--b--\n"),
        ("senders of a part", filled(&format!("{mixed}To: "), "a,") + "\n\nhello\n--b--\n"),
        (
            "fields of a nested mail",
            filled(&format!("{head}Content-Type: message/rfc822\n\n"), "x:\n") + "\nhello\n",
        ),
    ] {
        let mut client = LmtpClient::connect(port).expect("the LMTP listener accepts connections");
        let answers = client.hand_over(ANA, &[&address], &mail).expect("an answer");
        assert!(answers[0].starts_with("250"), "{what}: {answers:?}");
        let grown = (server.memory_peak_kib() - before) * 1024;
        println!("{what}: {} MB", grown / 1_000_000);
        assert!(grown < TIMES_MAX * BYTES as u64, "{what}: {} MB", grown / 1_000_000);
    }
}
