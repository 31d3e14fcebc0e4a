//! `confab app key`: changing the secret key step by step (design/sign-in-and-limits).

use crate::support::process::{Ended, Folder, after};

fn key(folder: &Folder, step: &str, more: &[&str]) -> Ended {
    folder.run(&[&["app", "key", step, "shop"], more].concat())
}

/// Returns the audit line that the command printed.
#[track_caller]
fn audit(ended: &Ended) -> String {
    let line = ended.err.lines().find_map(|line| line.strip_prefix("confab: audit: "));
    let line = line.unwrap_or_else(|| panic!("{}{}", ended.out, ended.err));
    let (time, what) = line.split_once(' ').expect("a time first");
    assert!(time.starts_with("20") && time.ends_with('Z'), "{line}");
    what.to_owned()
}

#[test]
fn every_step_prints_the_next_one_and_an_audit_line_without_keys() {
    let folder = Folder::new();
    let old_key = after(&folder.run(&["app", "create", "shop"]).ok(), "secret key");
    let show = || key(&folder, "show", &[]).ok();
    assert_eq!(show(), "shop: one secret key, and no change is in progress\n");

    let staged = key(&folder, "stage", &[]);
    assert_eq!(audit(&staged), "app shop: staged a new secret key");
    let mut said = vec![staged.err.clone(), show()];
    let printed = staged.ok();
    let new_key = after(&printed, "new secret key");
    assert!(new_key.len() >= 32 && new_key != old_key);
    assert!(printed.contains("confab app key promote shop"), "{printed}");
    assert!(!printed.contains(&old_key));
    assert_eq!(said[1], "shop: a new secret key is staged and not yet promoted\n");

    let promoted = key(&folder, "promote", &["--overlap-days", "30"]);
    let line = audit(&promoted);
    let start = "app shop: promoted the staged secret key; the old one expires at 20";
    assert!(line.starts_with(start), "{line}");
    said.extend([promoted.err.clone(), promoted.ok(), show()]);
    assert!(said[3].contains("confab app key retire shop"), "{}", said[3]);
    assert!(said[4].contains("is promoted; the old one expires at 20"), "{}", said[4]);

    let retired = key(&folder, "retire", &[]);
    assert_eq!(audit(&retired), "app shop: retired the old secret key");
    said.extend([retired.err.clone(), retired.ok(), show()]);
    assert_eq!(said[7], "shop: one secret key, and no change is in progress\n");
    for text in said {
        assert!(!text.contains(&old_key) && !text.contains(&new_key), "{text}");
    }
}

#[test]
fn a_step_out_of_order_is_refused_and_names_the_right_command() {
    let folder = Folder::new();
    folder.run(&["app", "create", "shop"]).ok();
    let refused = |step: &str, words: &[&str]| {
        let ended = key(&folder, step, &[]);
        assert!(!ended.err.contains("audit") && ended.out.is_empty(), "{step}: {}", ended.err);
        let said = ended.failed(1);
        assert!(words.iter().all(|word| said.contains(word)), "{step}: {said}");
    };
    let begin = "`confab app key stage shop`";
    refused("promote", &["no key is staged", begin]);
    refused("unstage", &["no key is staged", begin]);
    refused("retire", &["there is no old key", begin]);

    key(&folder, "stage", &[]).ok();
    refused("stage", &["nothing was changed", "`confab app key unstage shop`"]);
    refused("retire", &["there is no old key", "promote it first"]);
    let unstaged = key(&folder, "unstage", &[]);
    assert_eq!(audit(&unstaged), "app shop: discarded the staged secret key");
    key(&folder, "stage", &[]).ok();

    key(&folder, "promote", &[]).ok();
    refused("promote", &["no key is staged", "expires at"]);
    refused("stage", &["expires at", "`confab app key retire shop`"]);
    key(&folder, "retire", &[]).ok();
    key(&folder, "stage", &[]).ok();
}

#[test]
fn without_an_overlap_the_old_key_ends_at_once_and_a_new_change_can_begin() {
    let folder = Folder::new();
    folder.run(&["app", "create", "shop"]).ok();
    key(&folder, "stage", &[]).ok();
    let said = key(&folder, "promote", &["--overlap-days", "0"]).ok();
    assert!(said.contains("The old key has expired."), "{said}");
    let shown = key(&folder, "show", &[]).ok();
    assert!(shown.contains("the old one expired at 20"), "{shown}");
    key(&folder, "stage", &[]).ok();
}

#[test]
fn rotating_the_keys_ends_a_staged_change() {
    let folder = Folder::new();
    folder.run(&["app", "create", "shop"]).ok();
    key(&folder, "stage", &[]).ok();
    folder.run(&["app", "rotate-keys", "shop"]).ok();
    let shown = key(&folder, "show", &[]).ok();
    assert_eq!(shown, "shop: one secret key, and no change is in progress\n");
}

#[test]
fn an_unknown_app_is_named_in_the_error() {
    let folder = Folder::new();
    folder.run(&["app", "create", "shop"]).ok();
    for step in ["stage", "unstage", "promote", "retire", "show"] {
        let said = folder.run(&["app", "key", step, "nobody"]).failed(1);
        assert!(said.contains("there is no app nobody"), "{step}: {said}");
    }
}
