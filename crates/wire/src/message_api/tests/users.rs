//! Calls about users (wire facts 3.1).

use confab_domain::ids::{AppId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::people::registering::UserInput;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::time::Timestamp;

use super::{form, json, parsed, user_texts};
use crate::message_api::users::{
    UserList, UserOrder, one_user, read_login_or_register, read_one_user, read_some_users,
    user_list,
};
use crate::message_api::{Page, results};

/// Parses a login. `fields` is JSON without the braces.
fn login(fields: &str) -> Result<UserInput, Vec<String>> {
    parsed(read_login_or_register(&json(&format!("{{{fields}}}"))))
}

/// Returns the problems of ana's login with these additional fields.
fn login_problems(fields: &str) -> Vec<String> {
    login(&format!(r#""user_id":"ana","username":"Ana"{fields}"#)).err().unwrap_or_default()
}

fn order(order_query: &str) -> Result<(UserOrder, bool), Vec<String>> {
    let query = format!(r#"{{"order_query":{}}}"#, serde_json::Value::from(order_query));
    parsed(UserList::read(&json(&query))).map(|list| (list.order, list.is_descending))
}

fn bob() -> User {
    User {
        key: UserKey(3),
        app: AppId(1),
        realm: Realm::App,
        user_id: UserId::from_stored("bob".to_owned()),
        username: "Bob".to_owned(),
        avatar_url: String::new(),
        extras: None,
        is_active: false,
        created_at: Timestamp(1_769_853_600_000_000),
        updated_at: Timestamp(1_769_853_601_999_999),
    }
}

#[test]
fn a_login_requires_only_a_user_id_and_a_username() {
    let ana = login(r#""user_id":"ana","username":"Ana é""#).expect("a login");
    assert_eq!((ana.user_id.as_str(), ana.username.as_str()), ("ana", "Ana é"));
    assert_eq!((ana.password, ana.avatar_url, ana.extras), (None, None, None));
    let missing = ["user_id is required", "username is required"];
    for fields in ["", r#""user_id":null,"username":"""#] {
        assert_eq!(login(fields).err().expect("refused"), missing);
    }
}

#[test]
fn a_login_may_have_password_picture_and_extras() {
    let ana = login(
        r#""user_id":"ana","username":"Ana","password":"p w","avatar_url":"https://x.example/a",
        "extras":"{\"n\":1.0}""#,
    );
    let ana = ana.expect("a login");
    assert_eq!(ana.password.as_deref(), Some("p w"));
    assert_eq!(ana.avatar_url.as_deref(), Some("https://x.example/a"));
    assert_eq!(ana.extras, Some(JsonText::from_checked(r#"{"n":1.0}"#)));
}

#[test]
fn an_empty_password_is_ignored_and_an_empty_picture_removes_the_old_one() {
    let ana = login(r#""user_id":"ana","username":"Ana","password":"","avatar_url":"""#);
    let ana = ana.expect("a login");
    assert_eq!((ana.password, ana.avatar_url), (None, Some(String::new())));
}

#[test]
fn a_user_id_with_invalid_characters_is_refused() {
    for odd in ["a b", "a+b@x.example", "ü", "a/b", "a#b", "a:b", "a\\nb"] {
        let wrong = login(&format!(r#""user_id":"{odd}","username":"Ana""#)).err();
        let expected = "user_id may contain only letters, digits and . - _ @".to_owned();
        assert_eq!(wrong, Some(vec![expected]), "{odd}");
    }
    assert!(login(r#""user_id":"A.b-c_9@x","username":"Ana""#).is_ok());
}

#[test]
fn fields_of_a_login_have_a_maximum_length() {
    let fields = |name: &str, text: &str| format!(r#","{name}":"{text}""#);
    for (name, most) in [("password", 255), ("avatar_url", 2048)] {
        let nothing: [&str; 0] = [];
        assert_eq!(login_problems(&fields(name, &"é".repeat(most))), nothing);
        let wrong = login_problems(&fields(name, &"é".repeat(most + 1)));
        assert_eq!(wrong, [format!("{name} must have at most {most} characters")]);
    }
    let username = |count| {
        let name = "é".repeat(count);
        login(&format!(r#""user_id":"ana","username":"{name}""#)).err().unwrap_or_default()
    };
    assert!(username(255).is_empty());
    assert_eq!(username(256), ["username must have at most 255 characters"]);
    let extras = |bytes: usize| format!(r#","extras":{{"a":"{}"}}"#, "x".repeat(bytes - 8));
    assert!(login_problems(&extras(65_536)).is_empty());
    assert_eq!(login_problems(&extras(65_537)), ["extras must have at most 65536 bytes"]);
}

#[test]
fn every_invalid_field_of_a_login_is_reported() {
    let wrong = login_problems(r#","password":5,"avatar_url":"javascript:x","extras":[1]"#);
    let expected = [
        "password must be a string",
        "avatar_url must be an http or https URL",
        "extras must be a JSON object",
    ];
    assert_eq!(wrong, expected);
    assert_eq!(login_problems(r#","extras":"plain""#), ["extras must be a JSON object"]);
}

#[test]
fn a_login_may_be_urlencoded() {
    let body = form("user_id=ana%40x.example&username=Ana+B&extras=%7B%22n%22%3A1.0%7D&password=");
    let ana = parsed(read_login_or_register(&body)).expect("a login");
    assert_eq!((ana.user_id.as_str(), ana.username.as_str()), ("ana@x.example", "Ana B"));
    assert_eq!(ana.extras, Some(JsonText::from_checked(r#"{"n":1.0}"#)));
    assert_eq!(ana.password, None);
}

#[test]
fn a_user_id_is_accepted_in_a_query_or_a_body() {
    for body in [form("user_id=ana"), json(r#"{"user_id":"ana"}"#)] {
        assert_eq!(parsed(read_one_user(&body)).expect("ana").as_str(), "ana");
    }
    assert_eq!(parsed(read_one_user(&form(""))), Err(vec!["user_id is required".to_owned()]));
}

#[test]
fn user_ids_come_from_the_body_or_else_from_the_query() {
    let names = |body: &str, query: &str| {
        let users = parsed(read_some_users(&json(body), &form(query)))?;
        Ok(user_texts(&users).join(" "))
    };
    let refused = |problem: &str| Err(vec![format!("user_ids {problem}")]);
    assert_eq!(names(r#"{"user_ids":["a","b","a"]}"#, "user_ids[]=c"), Ok("a b".to_owned()));
    assert_eq!(names("", "user_ids[]=c&user_ids[]=d"), Ok("c d".to_owned()));
    assert_eq!(names("", ""), refused("is required"));
    assert_eq!(names(r#"{"user_ids":[]}"#, ""), refused("is required"));
    let bad = names(r#"{"user_ids":["a","b c"]}"#, "");
    assert_eq!(bad, refused("may contain only letters, digits and . - _ @"));
    let many = format!(r#"{{"user_ids":[{}]}}"#, vec![r#""a""#; 101].join(","));
    assert_eq!(names(&many, ""), refused("must name at most 100 users"));
}

#[test]
fn a_list_of_users_has_the_requested_order() {
    use UserOrder::{CreatedAt, UpdatedAt, UserId, Username};
    let orders = [
        ("", CreatedAt, false),
        ("created_at", CreatedAt, false),
        ("created_at desc nulls last", CreatedAt, true),
        ("  CREATED_AT  Desc  NULLS first ", CreatedAt, true),
        ("id desc", CreatedAt, true),
        ("updated_at asc", UpdatedAt, false),
        ("updated_at asc nulls first", UpdatedAt, false),
        ("username desc", Username, true),
        ("name", Username, false),
        ("user_id asc nulls last", UserId, false),
        ("email desc", UserId, true),
    ];
    for (query, by, is_descending) in orders {
        assert_eq!(order(query), Ok((by, is_descending)), "{query}");
    }
}

#[test]
fn an_unknown_order_of_users_is_refused() {
    let queries = [
        "password",
        "created_at down",
        "created_at desc, id",
        "created_at;",
        "desc",
        "created_at desc nulls",
        "created_at desc nulls last x",
        "created_at nulls last",
        "(select 1)",
    ];
    for query in queries {
        let help = "must be created_at, updated_at, username or user_id, followed by asc or desc";
        assert_eq!(order(query), Err(vec![format!("order_query {help}")]), "{query}");
    }
    let wrong = parsed(UserList::read(&json(r#"{"order_query":5}"#))).expect_err("refused");
    assert_eq!(wrong, ["order_query must be a string"]);
}

#[test]
fn a_list_of_users_has_20_active_users_by_default() {
    let list = |query: &str| {
        let list = parsed(UserList::read(&form(query)))?;
        Ok((list.page.number, list.page.size, list.shows_all))
    };
    assert_eq!(list(""), Ok((1, 20, false)));
    assert_eq!(list("page=3&limit=100&show_all=true"), Ok((3, 100, true)));
    assert_eq!(list("page=x&limit=101&show_all=1"), Ok((1, 20, true)));
    for no in ["show_all=0", "show_all=false", "show_all="] {
        assert_eq!(list(no), Ok((1, 20, false)), "{no}");
    }
    assert_eq!(list("show_all=no"), Err(vec!["show_all must be true or false".to_owned()]));
}

#[test]
fn a_user_has_extras_even_if_empty() {
    let answer = |user: &User| serde_json::to_string(&results(one_user(user))).expect("JSON");
    let expected = concat!(
        r#"{"results":{"user":{"active":false,"avatar_url":"","extras":{},"user_id":"bob","#,
        r#""username":"Bob"}},"status":200}"#,
    );
    assert_eq!(answer(&bob()), expected);
    let with_extras = User { extras: Some(JsonText::from_checked(r#"{"n":1.0}"#)), ..bob() };
    assert_eq!(answer(&with_extras), expected.replace(r#""extras":{}"#, r#""extras":{"n":1.0}"#));
}

#[test]
fn a_list_of_users_has_the_number_of_users_and_pages() {
    let list = |total| {
        let page = Page { number: 1, size: 20 };
        serde_json::to_string(&user_list(&[bob()], total, page)).expect("JSON")
    };
    let expected = concat!(
        r#"{"meta":{"total_data":41,"total_page":3},"users":[{"active":false,"avatar_url":"","#,
        r#""created_at":"2026-01-31T10:00:00Z","email":"bob","extras":{},"id":3,"name":"Bob","#,
        r#""updated_at":"2026-01-31T10:00:01Z","username":"Bob"}]}"#,
    );
    assert_eq!(list(41), expected);
    assert!(list(40).starts_with(r#"{"meta":{"total_data":40,"total_page":2}"#));
    assert!(list(0).starts_with(r#"{"meta":{"total_data":0,"total_page":0}"#));
}
