//! Handlers decide on behalf of their caller, and cannot name another principal.

use super::code::{shipped, tokens};
use super::{report, sources};

#[test]
fn only_extractors_of_callers_create_principals() {
    let handlers = sources().into_iter().filter(|it| it.is_in("crates/http/src/"));
    let (mut creators, mut others) = (0, Vec::new());
    for source in handlers {
        let tokens = shipped(&tokens(&source.text));
        // A renamed import would hide the constructors.
        let creates = |it: &[&str]| it[0] == "Principal" && ["::", "as"].contains(&it[1]);
        if tokens.windows(2).any(creates) {
            match source.path.as_str() {
                "crates/http/src/requests/callers.rs" => creators += 1,
                path => others.push(path.to_owned()),
            }
        }
    }
    assert_eq!(creators, 1, "the extractors were found");
    report("principals are created outside of the extractors", &others);
}
