//! The media types with which files are served. Only images, audio and video are displayed inline,
//! and never content that a browser would execute, whatever the file's name (design/files).

/// The media type of a served file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaType {
    pub name: &'static str,
    /// Whether the file is displayed inline; otherwise it is downloaded.
    pub is_inline: bool,
}

const INLINE: [(&str, &str); 19] = [
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("png", "image/png"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("bmp", "image/bmp"),
    ("heic", "image/heic"),
    ("avif", "image/avif"),
    ("mp3", "audio/mpeg"),
    ("m4a", "audio/mp4"),
    ("aac", "audio/aac"),
    ("ogg", "audio/ogg"),
    ("oga", "audio/ogg"),
    ("wav", "audio/wav"),
    ("mp4", "video/mp4"),
    ("m4v", "video/mp4"),
    ("webm", "video/webm"),
    ("mov", "video/quicktime"),
    ("3gp", "video/3gpp"),
];

const SAVED: [(&str, &str); 6] = [
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("txt", "text/plain; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
];

/// Returns the media type for a file name.
pub fn media_type(name: &str) -> MediaType {
    let ending = ending(name);
    let of = |list: &[(&str, &'static str)]| {
        list.iter().find(|(known, _)| *known == ending).map(|(_, name)| *name)
    };
    match of(&INLINE) {
        Some(name) => MediaType { name, is_inline: true },
        None => {
            let name = of(&SAVED).unwrap_or("application/octet-stream");
            MediaType { name, is_inline: false }
        }
    }
}

/// Returns the extension of a file name in lower case.
pub fn ending(name: &str) -> String {
    name.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_images_audio_and_video_are_displayed_inline() {
        assert_eq!(media_type("a.PNG"), MediaType { name: "image/png", is_inline: true });
        for saved in ["a.html", "a.svg", "a.xml", "a.pdf", "a.png.html", "a", "", "png", "a.js"] {
            assert!(!media_type(saved).is_inline, "{saved}");
            assert!(!media_type(saved).name.contains("html"), "{saved}");
        }
    }
}
