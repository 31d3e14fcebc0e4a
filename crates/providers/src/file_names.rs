//! Names and MIME types of files, derived from URLs and file names.

use confab_domain::json_check::hex;

/// Returns the file name and MIME type of the picture at a URL. The type is `image/jpeg` if the
/// file name has no known extension.
pub(super) fn picture_at(url: &str) -> (String, &'static str) {
    let name = name_in(url);
    let mime_type = mime_type_of(&name).unwrap_or("image/jpeg");
    (name, mime_type)
}

/// Returns the file name at the end of a URL's path, or `file` if there is none.
pub(super) fn name_in(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    let decoded = unescaped(last);
    let name: String = decoded.chars().filter(|c| !c.is_control() && *c != '/').collect();
    if name.is_empty() { "file".to_owned() } else { name }
}

/// Percent-decodes a path segment.
fn unescaped(part: &str) -> String {
    let bytes = part.as_bytes();
    let (mut read, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let escape = if *byte == b'%' { hex(bytes, at + 1, 2) } else { None };
        read.push(escape.and_then(|it| u8::try_from(it).ok()).unwrap_or(*byte));
        at += if escape.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&read).into_owned()
}

/// Returns the MIME type for a file name's extension; `None` if the extension is unknown.
pub(super) fn mime_type_of(name: &str) -> Option<&'static str> {
    let (_, end) = name.rsplit_once('.')?;
    let types = [
        ("jpg", "image/jpeg"),
        ("jpeg", "image/jpeg"),
        ("png", "image/png"),
        ("gif", "image/gif"),
        ("webp", "image/webp"),
        ("mp4", "video/mp4"),
        ("3gp", "video/3gpp"),
        ("mov", "video/quicktime"),
        ("webm", "video/webm"),
        ("mp3", "audio/mpeg"),
        ("m4a", "audio/mp4"),
        ("aac", "audio/aac"),
        ("amr", "audio/amr"),
        ("ogg", "audio/ogg"),
        ("oga", "audio/ogg"),
        ("opus", "audio/ogg"),
        ("wav", "audio/wav"),
        ("pdf", "application/pdf"),
        ("txt", "text/plain"),
        ("csv", "text/csv"),
        ("zip", "application/zip"),
        ("doc", "application/msword"),
        ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("xls", "application/vnd.ms-excel"),
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("ppt", "application/vnd.ms-powerpoint"),
        ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ];
    let found = types.into_iter().find(|(known, _)| end.eq_ignore_ascii_case(known));
    found.map(|(_, mime_type)| mime_type)
}
