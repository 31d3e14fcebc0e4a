//! Read-only access changes nothing, in any state of the data (design/operations).

use confab_store::{ReadOnlyData, SchemaVersions};

use crate::engine::Engine;
use crate::keys::TestKeys;
use crate::world::World;

async fn opened(engine: &Engine) -> Option<ReadOnlyData> {
    ReadOnlyData::open(&engine.location()).await.expect("the data can be opened")
}

/// Returns everything stored: rows or bytes, and the names of files.
fn all(engine: &Engine) -> (String, Vec<String>) {
    let mut names = Vec::new();
    if let Engine::Sqlite(folder) = engine {
        let entries = std::fs::read_dir(folder.path()).expect("a folder");
        names.extend(
            entries.map(|it| it.expect("an entry").file_name().into_string().expect("UTF-8")),
        );
        names.sort();
    }
    (engine.all_texts(), names)
}

fn assert_unchanged(engine: &Engine, (texts, names): &(String, Vec<String>)) {
    let (texts_now, names_now) = all(engine);
    assert_eq!(&names_now, names);
    let changed = texts_now.lines().zip(texts.lines()).find(|(now, before)| now != before);
    assert!(texts_now == *texts, "the data changed, first here (now, before): {changed:?}");
}

pub async fn read_only_access_lists_apps_and_changes_nothing(world: &World) {
    let apps = async || {
        let data = opened(&world.engine).await.expect("the data exist");
        assert!(data.schema().is_current());
        let sealer = data.prove_keys(Box::new(TestKeys::new(&[1]))).await.expect("proven");
        let apps = data.apps(&sealer.expect("keys")).await.expect("read");
        apps.into_iter().map(|app| (app.code, app.secret_key)).collect::<Vec<_>>()
    };
    let expected = [(world.code.clone(), "acme-secret-key".to_owned())];
    assert_eq!(apps().await, expected, "while a store is open");
    world.store.close().await.expect("closes");
    let before = all(&world.engine);
    assert_eq!(apps().await, expected, "while no store is open");
    assert_unchanged(&world.engine, &before);
}

pub async fn read_only_access_creates_nothing_in_an_empty_location(world: &World) {
    let place = world.engine.another();
    let before = all(&place);
    assert!(opened(&place).await.is_none());
    assert_unchanged(&place, &before);
}

pub async fn read_only_access_verifies_keys_as_a_start_does_and_creates_none(world: &World) {
    let data = opened(&world.engine).await.expect("the data exist");
    let before = all(&world.engine);
    let refusal = async |keys: &TestKeys| {
        let refused = data.prove_keys(Box::new(keys.clone())).await.err().expect("refused");
        refused.source.to_string()
    };
    let error = refusal(&TestKeys::new(&[2])).await;
    assert!(error.contains(&TestKeys::id(1)) && error.contains(&TestKeys::id(2)), "{error}");
    let none = TestKeys::none();
    let error = refusal(&none).await;
    assert!(error.contains("is missing") && !none.is_there(), "{error}");
    // A start would register a new first key.
    let staged = data.prove_keys(Box::new(TestKeys::new(&[2, 1]))).await.expect("proven");
    assert!(staged.is_some());
    assert_unchanged(&world.engine, &before);
}

pub async fn read_only_access_leaves_data_of_another_version_unchanged(world: &World) {
    let known = opened(&world.engine).await.expect("the data exist").schema().known;
    world.store.close().await.expect("closes");
    for found in [20, known + 1] {
        world.engine.sql(&match world.engine {
            Engine::Sqlite(_) => format!("PRAGMA user_version = {found}"),
            _ => format!(
                "DELETE FROM schema_version WHERE version >= {found}; \
                 INSERT INTO schema_version VALUES ({found})"
            ),
        });
        let before = all(&world.engine);
        let schema = opened(&world.engine).await.expect("the data exist").schema();
        assert_eq!(schema, SchemaVersions { found, known });
        assert!(!schema.is_current(), "{found}");
        assert_unchanged(&world.engine, &before);
    }
}
