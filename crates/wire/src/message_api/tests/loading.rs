//! `GET /load_comments` and `GET /load_comments_with_range` (spec 4.1, 8).

use super::{form, parsed};
use crate::message_api::Page;
use crate::message_api::comments::{LoadComments, LoadRange};

/// Returns the page number and size that a query requests.
fn page(query: &str) -> (u64, usize) {
    let load = parsed(LoadComments::read(&form(&format!("room_id=55&{query}")))).expect(query);
    (load.page.number, load.page.size)
}

/// Returns the room, first id and last id that a query requests.
fn range(query: &str) -> Result<(String, i64, i64), Vec<String>> {
    let range = parsed(LoadRange::read(&form(query)))?;
    Ok((range.room.shown(), range.first.0, range.last.0))
}

#[test]
fn the_first_page_of_twenty_is_the_default() {
    assert_eq!(page(""), (1, 20));
    assert_eq!(page("page=&limit="), (1, 20));
}

#[test]
fn a_page_may_have_1_to_100_messages() {
    for size in [1, 20, 99, 100] {
        assert_eq!(page(&format!("limit={size}")), (1, size));
    }
}

#[test]
fn an_invalid_limit_means_20() {
    for limit in ["101", "1000", "99999999999999999999", "0", "-1", "abc", "5.5", "null"] {
        assert_eq!(page(&format!("limit={limit}")), (1, 20), "{limit}");
    }
}

#[test]
fn an_invalid_page_number_means_the_first_page() {
    for number in ["0", "-1", "abc", "1.5"] {
        assert_eq!(page(&format!("page={number}")), (1, 20), "{number}");
    }
    assert_eq!(page("page=7&limit=50"), (7, 50));
}

#[test]
fn a_too_large_page_number_is_refused() {
    let read = LoadComments::read(&form("room_id=5&page=99999999999999999999"));
    let wrong = parsed(read).expect_err("refused");
    assert_eq!(wrong, ["page must be at most 9223372036854775807"]);
}

#[test]
fn the_items_before_a_page_are_counted_without_overflow() {
    assert_eq!(Page { number: 1, size: 20 }.skipped(), 0);
    assert_eq!(Page { number: 3, size: 20 }.skipped(), 40);
    let (number, size) = page("page=9223372036854775807&limit=100");
    assert_eq!(Page { number, size }.skipped(), u64::MAX);
}

#[test]
fn a_room_is_required() {
    let wrong = parsed(LoadComments::read(&form("page=1"))).expect_err("refused");
    assert_eq!(wrong, ["room_id is required"]);
    let wrong = parsed(LoadComments::read(&form("room_id=a%2Fb"))).expect_err("refused");
    assert_eq!(wrong, ["room_id must not contain #, +, / or control characters"]);
}

#[test]
fn a_room_may_be_identified_by_its_unique_id() {
    let load = parsed(LoadComments::read(&form("room_id=support+desk"))).expect("a page");
    assert_eq!(load.room.shown(), "support desk");
}

#[test]
fn a_range_requires_a_room_and_both_ends() {
    let fine = range("room_id=support&first_comment_id=5&last_comment_id=41");
    assert_eq!(fine, Ok(("support".to_owned(), 5, 41)));
    let missing =
        ["room_id is required", "first_comment_id is required", "last_comment_id is required"];
    assert_eq!(range("").expect_err("refused"), missing);
    let wrong = range("room_id=5&first_comment_id=x&last_comment_id=1.5").expect_err("refused");
    let expected = ["first_comment_id must be an integer", "last_comment_id must be an integer"];
    assert_eq!(wrong, expected);
}
