//! Display names of browsers, such as `Firefox on Linux`. A `User-Agent` can be forged, so they
//! only help users to recognize their own sign-ins.

use confab_domain::limits;

/// Marks in the `User-Agent` header, each with its browser's name. The first match counts, because
/// newer browsers also name the browsers with which they are compatible.
const BROWSERS: [(&str, &str); 11] = [
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

const SYSTEMS: [(&str, &str); 8] = [
    ("Windows", "Windows"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
];

/// Returns the display name for a `User-Agent`, or `None` if the program is unknown.
pub(super) fn name(user_agent: &str) -> Option<String> {
    let named = |list: &[(&str, &'static str)]| {
        let is_it = |(mark, _): &&(&str, &'static str)| user_agent.contains(mark);
        list.iter().find(is_it).map(|(_, name)| *name)
    };
    let browser = match named(&BROWSERS) {
        Some(browser) => browser.to_owned(),
        None => program(user_agent)?,
    };
    Some(match named(&SYSTEMS) {
        Some(system) => format!("{browser} on {system}"),
        None => browser,
    })
}

/// Returns the name of a program other than a browser, which starts the header: `okhttp` in
/// `okhttp/4.9`.
fn program(user_agent: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let first = user_agent.split(['/', ' ']).next()?;
    let is_name = !first.is_empty() && first.len() <= limits::BROWSER_CHARS_MAX;
    Some(first.to_owned()).filter(|it| is_name && it.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_have_their_common_names() {
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        let linux = "Mozilla/5.0 (X11; Linux x86_64";
        let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";
        let windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
        for (user_agent, name) in [
            (format!("{linux}; rv:140.0) Gecko/20100101 Firefox/140.0"), "Firefox on Linux"),
            (format!("{linux}) {webkit} Chrome/156.0.0.0 Safari/537.36"), "Chrome on Linux"),
            (format!("{windows} {webkit} Chrome/156.0 Safari/537.36 Edg/156.0"), "Edge on Windows"),
            (format!("{mac} AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15"), "Safari on macOS"),
            (
                format!("Mozilla/5.0 (Linux; Android 15; K) {webkit} Chrome/156.0 Mobile Safari/5"),
                "Chrome on Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) CriOS/156 Safari/604.1"
                    .to_owned(),
                "Chrome on iPhone",
            ),
            ("okhttp/4.12.0".to_owned(), "okhttp"),
            ("curl/8.9.1".to_owned(), "curl"),
        ] {
            assert_eq!(self::name(&user_agent).as_deref(), Some(name), "{user_agent}");
        }
    }

    #[test]
    fn an_unknown_user_agent_has_no_name() {
        for odd in ["", " ", "/1", "<script>", "\u{1F600}/1", &"x".repeat(1_000)] {
            assert_eq!(name(odd), None, "{odd:?}");
        }
    }
}
