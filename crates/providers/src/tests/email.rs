//! Tests of e-mail: events of received mails, answers as mails, and malicious mails.

use std::path::PathBuf;

use confab_domain::support::conversations::answering::Answerer;
use confab_domain::time::Timestamp;
use mail_parser::{MessageParser, MimeHeaders};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::support::{STAFF, check_golden_events, message, shown};
use crate::email::{
    Arrival, MailFile, MailKey, MailTrouble, STORED_HERE, Sender, Thread, compose, condition,
    digest, files_of, part_of, parts, thread_of, unreadable, verdict_of,
};
use crate::{
    EventContent, HealthState, IgnoredReason, MediaSource, Provider, ProviderEvent, ReplyReference,
    Verdict, read,
};

const OWN: &str = "help@shop.example";
const KEY: MailKey<'static> = MailKey("secret of the app");
const SHOP: Sender<'static> = Sender { channel: 7, address: OWN, name: "Shop", key: KEY };

/// Arrival of a mail that was read from a mailbox.
const READ: Arrival<'static> = Arrival { place: "1.2", own: OWN, return_path: None, key: KEY };

/// Returns the event of a mail.
fn event_of(raw: &[u8]) -> Option<ProviderEvent> {
    event_of_arrival(raw, READ)
}

fn event_of_arrival(raw: &[u8], arrival: Arrival<'_>) -> Option<ProviderEvent> {
    let digest = digest(raw, arrival)?;
    let mut events = read(Provider::Email, digest.as_str().as_bytes()).expect("readable");
    assert_eq!(events.len(), 1);
    let event = events.pop().expect("one event");
    let again = read(Provider::Email, event.body.as_str().as_bytes()).expect("readable");
    assert_eq!(again, std::slice::from_ref(&event), "alone");
    Some(event)
}

fn event_of_text(raw: &str) -> ProviderEvent {
    event_of(raw.replace('\n', "\r\n").as_bytes()).expect("a mail")
}

#[test]
fn events_of_digests_match_the_golden_files() {
    check_golden_events(Provider::Email, "email");
}

/// The golden event of each mail is in the file next to it.
#[test]
fn events_of_mails_match_the_golden_files() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/email/golden/mails");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|it| it != "eml") {
            continue;
        }
        let raw = std::fs::read(&path).expect("a mail");
        let event = event_of(&raw).expect("a mail");
        let is = json!({"lane": event.lane, "heard": shown(&event)});
        let golden = path.with_extension("json");
        if std::env::var_os("CONFAB_WRITE_GENERATED").is_some() {
            let text = serde_json::to_string_pretty(&is).expect("JSON");
            std::fs::write(&golden, text + "\n").expect("written");
        } else {
            let text = std::fs::read_to_string(&golden).expect("a golden event");
            let was: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(is, was, "{}", path.display());
        }
        count += 1;
    }
    assert!(count >= 9, "{count} mails");
}

#[test]
fn files_are_extracted_from_the_mail() {
    let raw = include_bytes!("../email/golden/mails/files.eml");
    let event = event_of(raw).expect("a mail");
    let EventContent::Posted(utterance) = &event.content else { panic!("a posted message") };
    let files: Vec<_> = utterance.inbound_messages.iter().filter_map(|it| it.media()).collect();
    let names: Vec<_> = files.iter().map(|it| it.file_name.as_str()).collect();
    assert_eq!(names, ["file.png", "Rechnung N° 1.pdf", "file.eml"]);
    for (media, begins) in files.iter().zip([&b"\x89PNG"[..], b"%PDF-1.4", b"From: other"]) {
        let MediaSource::Id(id) = &media.source else { panic!("in the mailbox") };
        let part =
            id.strip_prefix("1.2:").expect("the place of the mail").parse().expect("a number");
        let content = part_of(raw, Some(part)).expect("the part exists");
        assert!(content.starts_with(begins));
        assert_eq!(media.bytes, Some(content.len() as u64));
    }
    assert_eq!(part_of(raw, Some(99)), None);
    assert_eq!(part_of(raw, None).as_deref(), Some(&raw[..]));
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn stored_files_are_those_in_the_digest() {
    let raw = include_bytes!("../email/golden/mails/files.eml");
    let handed_over = Arrival { place: STORED_HERE, return_path: Some("a@x.example"), ..READ };
    let stored = digest(raw, handed_over).expect("a mail");
    let event = event_of_arrival(raw, handed_over).expect("a mail");
    let EventContent::Posted(utterance) = &event.content else { panic!("a posted message") };
    let media: Vec<_> = utterance.inbound_messages.iter().filter_map(|it| it.media()).collect();
    let files = files_of(raw, &stored, u64::MAX);
    assert_eq!(files.len(), media.len());
    for (file, media) in files.iter().zip(&media) {
        assert_eq!(media.sha256.as_deref(), Some(hash(file).as_str()));
        let MediaSource::Id(id) = &media.source else { panic!("a stored file") };
        assert!(id.starts_with("kept:"), "{id}");
    }
    let smallest = files.iter().map(Vec::len).min().expect("a file") as u64;
    assert_eq!(
        files_of(raw, &stored, smallest).len(),
        1,
        "files that are too large are not returned"
    );
    // A mail that is too expensive to parse is attached as a whole.
    let many = format!("From: a@x.example\n{}\nhello\n", "Content-Type: text/plain\n".repeat(500));
    let stored = digest(many.as_bytes(), handed_over).expect("a mail");
    assert_eq!(files_of(many.as_bytes(), &stored, u64::MAX), [many.as_bytes()]);
    let event = event_of_arrival(many.as_bytes(), handed_over).expect("a mail");
    let EventContent::Posted(utterance) = &event.content else { panic!("a posted message") };
    let whole = utterance.inbound_messages.iter().find_map(|it| it.media()).expect("a file");
    assert_eq!(whole.sha256.as_deref(), Some(hash(many.as_bytes()).as_str()));
}

#[test]
fn a_mail_with_an_empty_return_path_is_a_report() {
    let raw = b"Return-Path: <a@x.example>\r\nFrom: a@x.example\r\n\r\nhello\r\n";
    let from = |return_path| {
        let arrival = Arrival { place: STORED_HERE, return_path, ..READ };
        event_of_arrival(raw, arrival).expect("a mail").content
    };
    assert!(matches!(from(Some("")), EventContent::Ignored(IgnoredReason::Unknown(_))));
    assert!(matches!(from(Some("a@x.example")), EventContent::Posted(_)));
    assert!(matches!(from(None), EventContent::Posted(_)));
}

#[test]
fn automatic_mails_are_never_messages() {
    let mail = |header: &str| {
        event_of_text(&format!("From: a@x.example\n{header}\nSubject: s\n\nhello\n")).content
    };
    for header in [
        "Auto-Submitted: auto-generated",
        "Auto-Submitted: auto-replied; owner-email=x",
        "Precedence: bulk",
        "Precedence: Auto_Reply",
        "List-Id: <l.x.example>",
        "X-Autoreply: yes",
        "Return-Path: <>",
        "Auto-Submitted: auto-replied\nAuto-Submitted: no",
        "Content-Type: multipart/report; boundary=x",
    ] {
        assert!(
            matches!(mail(header), EventContent::Ignored(IgnoredReason::Unknown(_))),
            "{header}"
        );
    }
    for header in [
        "Auto-Submitted: no",
        "X-Auto-Response-Suppress: All",
        "Precedence: normal",
        "X-Confab-Channel: 7",
    ] {
        assert!(matches!(mail(header), EventContent::Posted(_)), "{header}");
    }
    for from in ["MAILER-DAEMON@x.example", "HELP@shop.example"] {
        let content = event_of_text(&format!("From: {from}\nSubject: s\n\nhello\n")).content;
        assert!(matches!(content, EventContent::Ignored(IgnoredReason::Unknown(_))), "{from}");
    }
}

#[test]
fn a_mail_without_a_single_valid_sender_remains_visible() {
    for from in ["<>", "no address", "a@x.example, b@x.example", "a@x.example\nFrom: b@x.example"] {
        let event = event_of_text(&format!("From: {from}\nSubject: s\n\nhello\n"));
        assert!(matches!(event.content, EventContent::Refused(_)), "{from}");
        assert_eq!((event.customer, event.lane.as_str()), (None, ""), "{from}");
    }
    let report = event_of_text("From: <>\nAuto-Submitted: auto-replied\n\nhello\n").content;
    assert!(matches!(report, EventContent::Ignored(_)), "a report needs no sender");
    let digest = unreadable(b"\0", "1.2");
    let events = read(Provider::Email, digest.as_str().as_bytes()).expect("readable");
    assert!(
        matches!(events[0].content, EventContent::Refused(_)),
        "an unreadable mail remains visible"
    );
}

#[test]
fn mails_of_the_app_are_recognized_and_those_of_other_apps_are_not() {
    let sent = composed(&json!({"text": "hello"}), STAFF, &Thread::default(), None);
    let forwarded = sent.replace("<help@shop.example>", "<other@x.example>");
    assert_ne!(sent, forwarded);
    let renamed = forwarded.replace("Message-ID: <confab.", "Message-ID: <renamed.");
    let without_header = forwarded.replace("X-Confab-Channel", "X-Other");
    for mail in [&forwarded, &renamed, &without_header] {
        let event = event_of(mail.as_bytes()).expect("a mail");
        assert!(matches!(event.content, EventContent::Ignored(_)), "{mail}");
        let elsewhere = Arrival { key: MailKey("secret of another app"), ..READ };
        let event = event_of_arrival(mail.as_bytes(), elsewhere).expect("a mail");
        assert!(matches!(event.content, EventContent::Posted(_)), "{mail}");
    }
}

#[test]
fn a_mail_is_identified_by_id_sender_and_content() {
    let known = |mail: &str| {
        let event = event_of_text(mail);
        let EventContent::Posted(utterance) = event.content else { panic!("a posted message") };
        let alias = utterance.inbound_messages[0].also_known_as.clone();
        assert!(
            utterance.id.contains(' '),
            "the fingerprint differs from any Message-ID: {}",
            utterance.id
        );
        (utterance.id, alias)
    };
    let first = known("From: a@x.example\nMessage-ID: <1@x>\n\nhello\n");
    assert_eq!(first.1.as_deref(), Some("1@x"));
    let again = "Received: by y\nFrom: Ana <A@x.example>\nMessage-ID: <1@x>\n\nhello\n\n";
    assert_eq!(known(again), first);
    for other in [
        "From: a@x.example\nMessage-ID: <1@x>\n\nother\n",
        "From: a@x.example\nMessage-ID: <1@x>\nSubject: s\n\nhello\n",
        "From: b@x.example\nMessage-ID: <1@x>\n\nhello\n",
        "From: a@x.example\nMessage-ID: <2@x>\n\nhello\n",
        "From: a@x.example\n\nhello\n",
        "From: a@x.example\nDate: Mon, 2 Nov 2026 10:00:00 +0000\n\nhello\n",
    ] {
        assert_ne!(known(other).0, first.0, "{other}");
    }
    let with_file = |content: &str| {
        known(&format!(
            "From: a@x.example\nMessage-ID: <1@x>\nContent-Type: multipart/mixed; boundary=b\n\n\
             --b\n\nhello\n--b\nContent-Type: text/csv\n\n{content}\n--b--\n"
        ))
    };
    assert_ne!(with_file("1").0, with_file("2").0);
    // A mail that is attached as a whole because it is too expensive to parse.
    let types = "Content-Type: text/plain\n".repeat(500);
    let whole =
        |text: &str| known(&format!("{types}From: a@x.example\nMessage-ID: <1@x>\n\n{text}\n"));
    assert_ne!(whole("1").0, whole("2").0);
    // A mail stored by an earlier version, without a fingerprint.
    let stored = r#"{"mail":{"id":"1@x","from":"a@x.example","text":"hello"}}"#;
    let events = read(Provider::Email, stored.as_bytes()).expect("readable");
    let EventContent::Posted(utterance) = &events[0].content else { panic!("a posted message") };
    assert_eq!(
        (utterance.id.as_str(), &utterance.inbound_messages[0].also_known_as),
        ("1@x", &None)
    );
}

#[test]
fn untrusted_extras_cannot_add_headers() {
    let bad = json!({"email": {
        "message_id": "1@x>\r\nBcc: <all@x.example", "references": ["2@x>\r\nBcc: y", "3@x"],
    }});
    let thread = thread_of(&bad.to_string()).expect("a mail");
    assert_eq!((thread.message_id, thread.references), (None, vec!["3@x".to_owned()]));
}

#[test]
fn customers_are_identified_by_their_address_if_it_is_a_valid_user_id() {
    let by = |from: &str| {
        let event = event_of_text(&format!("From: {from}\n\nhello\n"));
        event.customer.expect("a customer").user_id
    };
    assert_eq!(by("Ana <ANA@X.example>"), "ana@x.example");
    for from in ["ana+shop@x.example", "müller@x.example", "ana@dashboard"] {
        let hashed = by(from);
        assert!(hashed.starts_with("mail-") && hashed.len() == 37, "{hashed}");
        let event = event_of_text(&format!("From: {from}\n\nhello\n"));
        assert_eq!(event.customer.expect("a customer").name.as_deref(), Some(from));
    }
    assert_eq!(by("info@müller.example"), "info@xn--mller-kva.example");
}

#[test]
fn the_subject_is_shown_if_it_is_new_and_always_stored() {
    let first = event_of_text("From: a@x.example\nSubject: Order 7\nMessage-ID: <1@x>\n\nhello\n");
    let EventContent::Posted(utterance) = first.content else { panic!("a posted message") };
    let posted = utterance.inbound_messages[0].posted(&ReplyReference::Nothing, None);
    assert_eq!(posted.text, "Order 7\n\nhello");
    let thread = thread_of(posted.extras.expect("extras").as_str()).expect("a mail");
    assert_eq!(thread.subject, "Order 7");
    assert_eq!(thread.message_id.as_deref(), Some("1@x"));
    let next = "From: a@x.example\nSubject: Re: Order 7\nIn-Reply-To: <o@s>\n\nthanks\n";
    let EventContent::Posted(utterance) = event_of_text(next).content else {
        panic!("a posted message")
    };
    assert_eq!(utterance.inbound_messages[0].posted(&ReplyReference::Nothing, None).text, "thanks");
    assert_eq!(utterance.inbound_messages[0].reply_to.as_deref(), Some("o@s"));
    assert_eq!(thread_of("{}"), None);
    assert_eq!(thread_of("no JSON"), None);
}

fn composed(fields: &Value, by: Answerer, thread: &Thread, file: Option<MailFile<'_>>) -> String {
    let part = &parts(&message(fields), by)[0];
    let at = Timestamp(1_700_000_000_000_000);
    let Ok(mail) = compose(part, SHOP, "ana@x.example", thread, file, at) else {
        panic!("the mail is composed")
    };
    let content = if file.is_some() { "aGVsbG8=\r\n" } else { "" };
    mail.head + content + mail.tail.as_deref().unwrap_or_default()
}

#[test]
fn a_reply_is_a_mail_that_another_parser_reads() {
    let thread = Thread {
        subject: "Größe?\r\nBcc: all@x.example".to_owned(),
        message_id: Some("1@x.example".to_owned()),
        references: (0..30).map(|it| format!("r{it}@x.example")).collect(),
    };
    let text = format!(".\n..dots\nFrom here = {}\n\ttab \nend", "ü".repeat(200));
    let fields = json!({"text": text});
    let mail = composed(&fields, STAFF, &thread, None);
    assert_eq!(mail, composed(&fields, STAFF, &thread, None), "a repetition is identical");
    for line in mail.split("\r\n") {
        assert!(line.len() <= 78 && !line.starts_with('.') && !line.contains('\n'), "{line}");
    }
    let read = MessageParser::default().parse(mail.as_bytes()).expect("a mail");
    assert_eq!(read.body_text(0).expect("text").trim_end(), text.replace('\n', "\r\n"));
    assert_eq!(read.subject(), Some("Re: Größe?Bcc: all@x.example"));
    assert!(read.bcc().is_none() && read.header("Auto-Submitted").is_none());
    let id = read.message_id().expect("an id");
    let mark = id.strip_prefix("confab.").and_then(|it| it.strip_suffix("@shop.example"));
    let mark = mark.expect("a mark");
    assert!(mark.starts_with("7.55.9007199254740991.0."), "{id}");
    assert_eq!(read.in_reply_to().as_text(), Some("1@x.example"));
    let references = read.references().as_text_list().expect("references");
    assert_eq!(
        (references.len(), references.last().expect("a reference").as_ref()),
        (20, "1@x.example")
    );
    assert_eq!(read.header_raw("X-Confab-Channel").map(str::trim), Some(mark));
    let content = event_of(mail.as_bytes()).expect("a mail").content;
    assert!(matches!(content, EventContent::Ignored(_)), "our own mail is not a message");
}

#[test]
fn files_are_attached_and_mails_of_bots_are_marked() {
    let payload =
        json!({"url": "https://files.example/a", "file_name": "Größe.pdf", "caption": "see"});
    let fields = json!({"type": "file_attachment", "text": "see", "payload": payload});
    let file = MailFile { name: "Größe.pdf", mime_type: "application/pdf" };
    let thread = Thread::default();
    let mail = composed(&fields, Answerer::Bot, &thread, Some(file));
    let read = MessageParser::default().parse(mail.as_bytes()).expect("a mail");
    assert_eq!(read.body_text(0).expect("text").trim(), "see");
    let attached = read.attachment(0).expect("an attachment");
    assert_eq!(attached.attachment_name(), Some("Größe.pdf"));
    assert_eq!(attached.contents(), b"hello");
    assert_eq!(read.header_raw("Auto-Submitted").map(str::trim), Some("auto-replied"));
    let linked = composed(&fields, STAFF, &thread, None);
    assert!(linked.contains("https://files.example/a"), "a file stored elsewhere is linked");
    let buttons = json!({"type": "buttons", "text": "x", "payload": {"text": "Which?", "buttons": [
        {"label": "This", "type": "postback", "payload": {}},
        {"label": "Shop", "type": "link", "payload": {"url": "https://shop.example/"}}]}});
    let mail = composed(&buttons, STAFF, &thread, None);
    assert!(mail.contains("Which?") && mail.contains("- This") && mail.contains("https://shop"));
}

#[test]
fn replies_of_mail_servers_yield_verdicts() {
    assert_eq!(
        verdict_of(250, "", "i"),
        Verdict::Sent { ids: vec!["i".to_owned()], also_known_as: Vec::new() }
    );
    assert!(matches!(
        verdict_of(451, "4.7.1 Greylisted", "i"),
        Verdict::Again { whole_channel: false, .. }
    ));
    assert!(matches!(verdict_of(550, "5.1.1 No such user", "i"), Verdict::Never { .. }));
    assert!(matches!(verdict_of(535, "5.7.8", "i"), Verdict::BadToken { .. }));
    let well = condition(OWN, ("IMAP", Ok(())), Ok(()));
    assert_eq!((well.state, well.account.map(|it| it.id)), (HealthState::Ok, Some(OWN.to_owned())));
    let unwell = condition(OWN, ("LMTP", Err(MailTrouble::Unauthorized)), Ok(()));
    assert_eq!(unwell.state, HealthState::Unauthorized);
    assert!(unwell.why.contains("LMTP") && !unwell.todo.is_empty() && unwell.account.is_none());
}

/// A mail that is expensive to parse is attached as a file within bounded time.
#[test]
fn malicious_mails_cost_bounded_time_and_memory() {
    let nested = |part: &str, count: usize| part.repeat(count);
    let head = "From: a@x.example\r\nSubject: s\r\n";
    for bomb in [
        format!("{head}{}\r\n\r\nx", nested("Content-Type: message/rfc822\r\n\r\n", 100_000)),
        format!(
            "{head}{}",
            nested("Content-Type: multipart/digest; boundary=b\r\n\r\n--b\r\n\r\n", 50_000)
        ),
        format!(
            "{head}Content-Type: multipart/mixed; boundary=b\r\n\r\n{}",
            nested("--b\r\n\r\n", 500_000)
        ),
        format!("{head}{}\r\nx", nested("X-A: b\r\n", 200_000)),
        format!("{head}X-Long: {}\r\n\r\nx", "a".repeat(5_000_000)),
        format!("{head}To: {}\r\n\r\nx", nested("a@b, ", 100_000)),
        format!("{head}To: {}\r\n\r\nx", nested("(", 300_000)),
        format!("{head}References: {}\r\n\r\nx", nested("<a@b> ", 50_000)),
        format!("{head}\r\n{}", nested("\r\n", 1_000_000)),
        format!("{head}\r\n{}x", nested("-\r\n", 1_000_000)),
        format!(
            "{head}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{}\r\nx",
            nested("X:\r\n", 1_000_000)
        ),
        format!("{head}Content-Type: message/rfc822\r\n\r\n{}\r\nx", nested("X:\n", 1_000_000)),
    ] {
        let begun = std::time::Instant::now();
        let event = event_of(bomb.as_bytes()).expect("a mail");
        let EventContent::Posted(utterance) = &event.content else { panic!("a posted message") };
        assert!(!utterance.inbound_messages.is_empty() && utterance.inbound_messages.len() <= 60);
        assert!(event.body.as_str().len() < 1_000_000);
        // Quadratic work on these inputs takes hours on any machine.
        assert!(begun.elapsed().as_secs() < 300, "{:?}", begun.elapsed());
    }
    assert!(event_of(b"").is_none());
    let long = format!("{head}\r\n{}", "word ".repeat(1_000_000));
    let EventContent::Posted(utterance) = event_of(long.as_bytes()).expect("a mail").content else {
        panic!("a posted message")
    };
    assert!(
        utterance.inbound_messages.iter().any(|it| it.media().is_some()),
        "the whole mail is attached"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_bytes_are_read_without_a_panic(raw in prop::collection::vec(any::<u8>(), 0..400)) {
        event_of(&raw);
        part_of(&raw, Some(0));
    }

    #[test]
    fn altered_mails_cause_no_panic(which in 0..4usize, at in any::<prop::sample::Index>(),
        put in prop::collection::vec(any::<u8>(), 0..20), cut in 0..40usize)
    {
        let mails: [&[u8]; 4] = [
            include_bytes!("../email/golden/mails/files.eml"),
            include_bytes!("../email/golden/mails/bounce.eml"),
            include_bytes!("../email/golden/mails/reply.eml"),
            include_bytes!("../email/golden/mails/html.eml"),
        ];
        let mut raw = mails[which].to_vec();
        let begin = at.index(raw.len());
        let end = (begin + cut).min(raw.len());
        raw.splice(begin..end, put);
        let event = event_of(&raw);
        if let Some(ProviderEvent { content: EventContent::Posted(utterance), .. }) = event {
            for media in utterance.inbound_messages.iter().filter_map(|it| it.media()) {
                let MediaSource::Id(id) = &media.source else { panic!("in the mailbox") };
                let part = id.rsplit(':').next().and_then(|it| it.parse().ok());
                let content = part_of(&raw, part).expect("the digest names existing parts");
                prop_assert_eq!(media.bytes, Some(content.len() as u64));
            }
        }
    }

    #[test]
    fn no_channel_name_yields_another_sender(
        name in "\\PC{0,80}|[ -~\r\n\t]{0,100}|[a-c<>@,;:\\\\\"()\\[\\]=?. \r\n]{0,40}"
    ) {
        let from = Sender { name: &name, ..SHOP };
        let part = &parts(&message(&json!({"text": "hello"})), STAFF)[0];
        let at = Timestamp(1_700_000_000_000_000);
        let composed_mail = compose(part, from, "ana@x.example", &Thread::default(), None, at);
        let Ok(mail) = composed_mail else { panic!("the mail is composed") };
        for line in mail.head.split("\r\n") {
            prop_assert!(line.len() <= 78, "{}", line);
        }
        let read = MessageParser::default().parse(mail.head.as_bytes()).expect("a mail");
        let senders = read.from().and_then(|it| it.as_list()).expect("a sender").to_vec();
        prop_assert_eq!(senders.len(), 1, "{}", &mail.head);
        prop_assert_eq!(senders[0].address.as_deref(), Some(OWN), "{}", &mail.head);
        let plain = |text: &str| -> String {
            let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let shown = senders[0].name.as_deref().unwrap_or_default();
        prop_assert_eq!(plain(shown), plain(&name), "{}", &mail.head);
        // Our own strict parser finds the same single sender.
        let forwarded = mail.head.replace("X-Confab-Channel", "X-A").replace("<confab.", "<c.");
        let elsewhere = Arrival { own: "other@x.example", ..READ };
        let event = event_of_arrival(forwarded.as_bytes(), elsewhere).expect("a mail");
        prop_assert_eq!(event.lane, OWN, "{}", &mail.head);
        prop_assert_eq!(read.subject(), Some("Re: your message"));
    }

    #[test]
    fn any_text_arrives_unchanged(text in "[\\PC\n.=]{1,300}", subject in "\\PC{0,80}") {
        let fields = json!({"text": text});
        let thread = Thread { subject, ..Thread::default() };
        let mail = composed(&fields, STAFF, &thread, None);
        for line in mail.split("\r\n") {
            prop_assert!(line.len() <= 78 && !line.starts_with('.'), "{}", line);
        }
        let read = MessageParser::default().parse(mail.as_bytes()).expect("a mail");
        let arrived = read.body_text(0).unwrap_or_default().replace("\r\n", "\n");
        prop_assert_eq!(arrived.trim(), text.trim());
    }
}
