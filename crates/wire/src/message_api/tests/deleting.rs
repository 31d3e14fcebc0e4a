//! `DELETE /delete_messages` (spec 4.1, 8).

use super::{form, json, parsed};
use crate::message_api::comments::read_delete_messages;

/// Parses the unique ids from a JSON body and a query.
fn read(body: &str, query: &str) -> Result<Vec<String>, Vec<String>> {
    let delete = parsed(read_delete_messages(&json(body), &form(query)))?;
    Ok(delete.ids.iter().map(ToString::to_string).collect())
}

/// Parses the unique ids from a JSON body with this `unique_ids` value.
fn ids(unique_ids: &str) -> Result<Vec<String>, Vec<String>> {
    read(&format!(r#"{{"unique_ids":{unique_ids}}}"#), "")
}

/// Returns the result of `ids` for a request with this problem.
fn refused(problem: &str) -> Result<Vec<String>, Vec<String>> {
    Err(vec![format!("unique_ids {problem}")])
}

fn named(ids: &[&str]) -> Result<Vec<String>, Vec<String>> {
    Ok(ids.iter().map(|&id| id.to_owned()).collect())
}

#[test]
fn one_to_three_messages_can_be_deleted() {
    assert_eq!(ids(r#"["a"]"#), named(&["a"]));
    assert_eq!(ids(r#"["a","b c","é"]"#), named(&["a", "b c", "é"]));
}

#[test]
fn an_empty_list_of_messages_is_refused() {
    for none in ["[]", "null", r#""[]""#] {
        assert_eq!(ids(none), refused("is required"), "{none}");
    }
    assert_eq!(read("", ""), refused("is required"));
}

#[test]
fn four_messages_are_refused_even_if_one_is_named_twice() {
    assert_eq!(ids(r#"["a","b","c","d"]"#), refused("must name at most 3 messages"));
    assert_eq!(ids(r#"["a","a","a","a"]"#), refused("must name at most 3 messages"));
}

#[test]
fn a_message_named_twice_is_deleted_once() {
    assert_eq!(ids(r#"["a","b","a"]"#), named(&["a", "b"]));
}

#[test]
fn the_ids_may_be_in_the_query() {
    let query = "unique_ids[]=a&unique_ids%5B%5D=b%20c";
    for body in ["", "{}", r#"{"unique_ids":null}"#] {
        assert_eq!(read(body, query), named(&["a", "b c"]), "{body}");
    }
    assert_eq!(read("", "unique_ids=a"), named(&["a"]));
    assert_eq!(read("", "unique_ids[0]=a&unique_ids[1]=b"), named(&["a", "b"]));
    let four = "unique_ids[]=a&unique_ids[]=b&unique_ids[]=c&unique_ids[]=d";
    assert_eq!(read("", four), refused("must name at most 3 messages"));
}

#[test]
fn ids_in_the_body_take_precedence_over_the_query() {
    assert_eq!(read(r#"{"unique_ids":["a"]}"#, "unique_ids[]=b"), named(&["a"]));
}

#[test]
fn the_body_may_be_urlencoded() {
    let body = form("unique_ids[]=a&unique_ids[]=b");
    let delete = parsed(read_delete_messages(&body, &form(""))).expect("ids");
    assert_eq!(delete.ids.len(), 2);
}

#[test]
fn a_list_may_be_a_string_or_json_in_a_string() {
    assert_eq!(ids(r#""a""#), named(&["a"]));
    assert_eq!(ids(r#""[\"a\", \"b\"]""#), named(&["a", "b"]));
}

#[test]
fn ids_must_be_strings() {
    for wrong in ["5", "[5]", r#"["a",null]"#, "{}", "true"] {
        assert_eq!(ids(wrong), refused("must be a list of strings"), "{wrong}");
    }
}

#[test]
fn ids_with_nul_are_refused() {
    for wrong in [r#""a\u0000""#, r#"["a","b\u0000"]"#] {
        assert_eq!(ids(wrong), refused("must not contain the NUL character"), "{wrong}");
    }
}

#[test]
fn the_long_ids_of_a_broadcast_are_accepted() {
    let long = format!("{}/{}", "k".repeat(128), "b".repeat(255));
    assert_eq!(ids(&format!(r#"["{long}"]"#)), named(&[&long]));
}
