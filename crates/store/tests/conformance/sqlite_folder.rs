//! Tests of the embedded engine only: a data folder that one process serves and that can be backed
//! up.

use std::fs;
use std::sync::Arc;

use confab_domain::decision::stamp::Stamps;
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Draft;
use confab_store::{Location, StoreError, backup, is_served};

use crate::engine::Engine;
use crate::stamps::TestStamps;
use crate::world::{World, draft_by, side_by_side};

async fn world_with_a_room() -> World {
    let world = World::start(Engine::sqlite()).await;
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    world
}

#[tokio::test]
async fn a_folder_is_opened_by_one_store_at_a_time() {
    let world = world_with_a_room().await;
    let open = || world.engine.open(world.stamps.clone());
    let refused = open().await.err().expect("the folder is in use").source.to_string();
    let folder = world.engine.folder().display().to_string();
    assert!(refused.contains("another confab server uses"), "{refused}");
    assert!(refused.contains(&folder), "{refused}");
    world.post("support", "ana", "the first is unharmed").await;
    world.store.close().await.expect("closes");
    open().await.expect("the folder is free");
}

#[tokio::test]
async fn checking_whether_a_folder_is_served_does_not_lock_it() {
    let world = world_with_a_room().await;
    let folder = world.engine.folder();
    assert!(is_served(folder).expect("checked"));
    world.store.close().await.expect("closes");
    assert!(!is_served(folder).expect("checked"));
    let nowhere = folder.join("nowhere");
    assert!(!is_served(&nowhere).expect("checked") && !nowhere.exists());
    world.engine.open(world.stamps.clone()).await.expect("the folder is free");
}

#[tokio::test]
async fn a_missing_folder_is_created_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let engine = Engine::sqlite();
    let folder = engine.folder().join("deep").join("data");
    let stamps = Arc::new(TestStamps::at(crate::stamps::MORNING));
    let store = crate::engine::open(&Location::folder(&folder), stamps).await.expect("opens");
    let mode = fs::metadata(&folder).expect("created").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    store.close().await.expect("closes");
}

/// Backs up the world's folder into a new one, and opens the copy.
async fn backed_up(world: &World) -> Result<World, StoreError> {
    let (source, copy) = (world.engine.clone(), Engine::sqlite());
    let target = copy.folder().join("confab.db");
    let copied = tokio::task::spawn_blocking(move || backup(source.folder(), &target, |_| {}));
    let bytes = copied.await.expect("ends")?;
    let file = fs::metadata(copy.folder().join("confab.db")).expect("the copy exists");
    assert_eq!(file.len(), bytes);
    assert_eq!(fs::read_dir(copy.folder()).expect("read").count(), 1, "no temporary file is left");
    Ok(world.opened_in(copy, world.stamps.now()).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_made_during_posts_contains_an_unbroken_chain() {
    let world = world_with_a_room().await;
    let answered = world.post_many("support", "ana", 200).await;
    // Large messages make the backup take a while.
    let extras = Some(JsonText::from_checked(format!("\"{}\"", "x".repeat(20_000))));
    let posts = (0..8).map(|_| {
        let (world, extras) = (world.clone(), extras.clone());
        async move {
            for _ in 0..50 {
                let draft = Draft { extras: extras.clone(), ..draft_by("ana", "meanwhile") };
                world.try_post("support", draft).await.expect("posted");
            }
        }
    });
    let (_, copies) = tokio::join!(side_by_side(posts), async {
        let mut copies = Vec::new();
        for _ in 0..3 {
            copies.push(backed_up(&world).await.expect("copied"));
        }
        copies
    });
    for copy in copies {
        let chain = copy.chain("support").await;
        assert_eq!(chain[..200], answered);
        let next = copy.post("support", "ana", "in the copy").await;
        assert_eq!(next.number, chain.len() as u64 + 1);
        assert_eq!(copy.unread("ana", "support").await, Some(0));
        assert_eq!(copy.chain("support").await.len(), chain.len() + 1);
    }
    assert_eq!(world.chain("support").await.len(), 600);
}

#[tokio::test]
async fn a_backup_of_a_closed_store_is_complete() {
    let world = world_with_a_room().await;
    let posted = world.post_many("support", "ana", 100).await;
    world.store.close().await.expect("closes");
    let copy = backed_up(&world).await.expect("copied");
    assert_eq!(copy.chain("support").await, posted);
}

#[tokio::test]
async fn a_backup_does_not_overwrite_a_file() {
    let world = world_with_a_room().await;
    let target = world.engine.folder().join("mine");
    fs::write(&target, "precious").expect("written");
    let refused = backup(world.engine.folder(), &target, |_| {}).expect_err("refused");
    let reason = refused.source.to_string();
    assert!(reason.contains("exists already; name a new file"), "{reason}");
    assert_eq!(fs::read_to_string(&target).expect("read"), "precious");
}

#[tokio::test]
async fn a_backup_of_a_folder_without_a_database_fails_and_creates_no_file() {
    let engine = Engine::sqlite();
    let target = engine.folder().join("copy.db");
    backup(engine.folder(), &target, |_| {}).expect_err("nothing to copy");
    assert!(!target.exists());
    assert!(!engine.folder().join("confab.db").exists(), "the backup creates no database");
}
