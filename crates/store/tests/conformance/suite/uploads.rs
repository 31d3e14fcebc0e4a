//! Uploads: files are counted in the commit that stores them, and expired data is purged
//! (design/sign-in-and-limits).

use confab_domain::decision::change::{FileChange, UserChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::{OmnichannelQuestion, Question};
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::files::removing::FileReferences;
use confab_domain::files::upload_facts::{UploadQuestion, UploadQuotas};
use confab_domain::files::uploading::StoreFile;
use confab_domain::ids::{AppId, MessageId, UserKey};
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use confab_store::WriteError;

use crate::stamps::MORNING;
use crate::world::{World, everywhere, side_by_side};

const QUOTAS: UploadQuotas =
    UploadQuotas { app_bytes_max: Some(1_000), user_bytes_per_day: Some(500) };

/// Stores a file of this size whose hash is its name, and returns the app's total afterwards.
async fn upload(world: &World, by: i64, name: &str, size: u64, day: i64) -> Result<u64, Refusal> {
    let rule = StoreFile {
        asked: UploadQuestion { hash: name.to_owned(), user: UserKey(by), day },
        name: name.to_owned(),
        media_type: "text/plain".to_owned(),
        size,
        quotas: QUOTAS,
    };
    match world.decide(rule).await {
        Ok(bytes) => Ok(bytes),
        Err(WriteError::Refused(refusal)) => Err(refusal),
        Err(WriteError::Failed(error)) => panic!("{error}"),
    }
}

pub async fn a_file_counts_once_toward_the_quotas_of_its_app_and_user(world: &World) {
    assert_eq!(upload(world, 1, "a", 400, 7).await, Ok(400));
    assert_eq!(upload(world, 1, "a", 400, 7).await, Ok(400), "a repeated upload does not count");
    let much = upload(world, 1, "b", 101, 7).await.expect_err("too much for a day");
    assert!(matches!(much, Refusal::UserUploadedMuch { bytes_max: 500, .. }));
    assert_eq!(upload(world, 1, "b", 101, 8).await, Ok(501), "the quota is per day");
    assert_eq!(upload(world, 2, "c", 499, 8).await, Ok(1_000));
    assert_eq!(
        upload(world, 3, "d", 1, 8).await,
        Err(Refusal::AppUploadsFull { bytes_max: 1_000 })
    );
    assert!(world.store.file(world.app, "d").await.expect("read").is_none());
    let by_app = world.store.uploaded_by_app().await.expect("read");
    assert_eq!(by_app.iter().map(|it| it.1).collect::<Vec<_>>(), [1_000]);
    assert_eq!(upload(&world.reopened().await, 2, "e", 1, 9).await.ok(), None);
}

pub async fn a_file_is_found_by_hash_in_its_app_with_the_fields_of_its_first_upload(world: &World) {
    let other = world.another_app("other").await;
    upload(world, 1, "shared", 40, 7).await.expect("stored");
    world.stamps.advance_seconds(1);
    upload(world, 2, "shared", 40, 7).await.expect("a repeated upload succeeds");
    upload(&other, 3, "shared", 40, 7).await.expect("stored");
    upload(&other, 3, "theirs", 2, 7).await.expect("stored");
    everywhere(world, async |world| {
        let file = async |app, hash| world.store.file(app, hash).await.expect("read");
        let own = file(world.app, "shared").await.expect("stored");
        assert_eq!(
            (own.app, own.uploaded_by),
            (world.app, UserKey(1)),
            "the first uploader is stored"
        );
        assert_eq!((own.hash.as_str(), own.name.as_str(), own.size), ("shared", "shared", 40));
        assert_eq!((own.media_type.as_str(), own.created_at), ("text/plain", MORNING));
        let theirs = file(other.app, "shared").await.expect("stored");
        assert_eq!((theirs.app, theirs.uploaded_by), (other.app, UserKey(3)));
        assert_eq!(file(world.app, "theirs").await, None, "the file is of another app");
        assert_eq!(file(world.app, "nothing").await, None);
        let mut bytes = world.store.uploaded_by_app().await.expect("read");
        bytes.sort();
        assert_eq!(bytes, [("acme".to_owned(), 40), ("other".to_owned(), 42)]);
    })
    .await;
}

pub async fn concurrent_uploads_never_exceed_a_quota(world: &World) {
    let uploads = (0..20).map(|number| {
        let world = world.clone();
        async move { upload(&world, number, &format!("file {number}"), 90, 7).await.is_ok() }
    });
    let kept = side_by_side(uploads).await;
    assert_eq!(kept.into_iter().filter(|it| *it).count(), 11);
}

pub async fn expired_nonces_and_upload_counts_of_past_days_are_purged(world: &World) {
    let now = world.stamps.now();
    let until = |seconds: i64| Timestamp(now.0 + seconds * 1_000_000);
    for (nonce, until) in [("old", until(-1)), ("new", until(60))] {
        let rule = move |_: &Facts, _: &Stamp<'_>| {
            let added = UserChange::AddNonce { nonce: nonce.to_owned(), until };
            Ok(Decision::new(vec![added.into()], ()))
        };
        world.store.decide(world.app, Question::default(), rule).await.expect("added");
    }
    upload(world, 1, "a", 500, 7).await.expect("stored");
    let forget = move |_: &Facts, _: &Stamp<'_>| {
        let nonces = UserChange::PurgeNonces { before: now };
        let uploads = FileChange::PurgeUploads { before_day: 8 };
        Ok(Decision::new(vec![nonces.into(), uploads.into()], ()))
    };
    world.store.decide(AppId(0), Question::default(), forget).await.expect("purged");
    assert_eq!((has(world, "old").await, has(world, "new").await), (false, true));
    assert_eq!(
        upload(world, 1, "b", 500, 7).await,
        Ok(1_000),
        "the total of the app is not purged"
    );
}

async fn has(world: &World, nonce: &str) -> bool {
    let omni =
        OmnichannelQuestion { nonce: Some(nonce.to_owned()), ..OmnichannelQuestion::default() };
    let question = Question { omni: Some(omni), ..Question::default() };
    let rule =
        |facts: &Facts, _: &Stamp<'_>| Ok(Decision::nothing(facts.omni.nonce_until.is_some()));
    world.store.decide(world.app, question, rule).await.expect("read")
}

pub async fn a_doubted_file_is_retained_if_referenced_and_deleted_if_not(world: &World) {
    let (store, app) = (&world.store, world.app);
    let doubt = async |hash: &'static str| {
        let rule = move |_: &Facts, _: &Stamp<'_>| {
            let doubted = FileChange::Doubt { app, hash: hash.to_owned() };
            Ok(Decision::new(vec![doubted.into()], ()))
        };
        store.decide(app, Question::default(), rule).await.expect("written");
    };
    let doubted = async || store.first_doubted_file().await.expect("read");
    upload(world, 1, "a", 400, 7).await.expect("stored");
    doubt("unknown").await;
    assert_eq!(doubted().await, None);
    doubt("a").await;
    let file = doubted().await.expect("the file is doubted");
    assert_eq!((file.hash.as_str(), file.app, file.looked_up_to), ("a", app, MessageId(0)));
    let looked = FileReferences::NotNamedUpTo(MessageId(5));
    store.settle(file.clone(), looked).await.expect("settled");
    assert_eq!(doubted().await.map(|it| it.looked_up_to), Some(MessageId(5)));
    store.settle(file.clone(), FileReferences::Named).await.expect("settled");
    assert_eq!(doubted().await, None);
    assert!(store.file(app, "a").await.expect("read").is_some());
    doubt("a").await;
    store.settle(file, FileReferences::Gone(400)).await.expect("settled");
    assert_eq!(doubted().await, None);
    assert!(store.file(app, "a").await.expect("read").is_none());
    assert_eq!(
        upload(world, 1, "a", 400, 8).await.ok(),
        Some(400),
        "the deleted file no longer counts"
    );
    assert!(!store.is_file_named_elsewhere(app, "shop/a").await.expect("read"));
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    world.post("support", "ana", "a word").await;
    let posted = store.contents_after(MessageId(0), 10).await.expect("read");
    assert!(posted.iter().any(|it| it.content.contains("a word")));
}
