//! Is a transaction all or nothing, and does everyone get their own answer?

use catalog::{ErrorKind, Step, Value};
use domain::Moment;
use serde_json::json;

use crate::place::{Place, sql};

const TABLE: &str = "CREATE TABLE things (id bigint PRIMARY KEY, name text NOT NULL CHECK (name <> ''))";
const INSERT: &str = "INSERT INTO things (id, name) VALUES ($1, $2) RETURNING id, name";

fn thing(id: i64) -> Vec<Value> {
    vec![id.into(), format!("thing {id}").into()]
}

async fn count(catalog: &catalog::Catalog) -> i64 {
    let done = catalog.run(sql("SELECT count(*) AS n FROM things"), []).await.unwrap();
    done.rows[0].int("n").unwrap()
}

pub async fn a_failed_step_takes_the_whole_transaction_back(place: Place) {
    let catalog = place.open().await;
    catalog.run(sql(TABLE), []).await.unwrap();
    let steps = vec![
        Step::each(sql(INSERT), (0..200).map(thing).collect()),
        Step::each(sql(INSERT), (300..400).chain([350]).chain(400..500).map(thing).collect()),
        Step::once(sql(INSERT), thing(999)),
    ];
    let error = catalog.transaction(steps).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    assert_eq!(count(&catalog).await, 0);
    catalog.run(sql(INSERT), thing(1)).await.unwrap();
    assert_eq!(count(&catalog).await, 1);
}

pub async fn a_step_that_must_change_rows_guards_those_after_it(place: Place) {
    let catalog = place.open().await;
    catalog.run(sql(TABLE), []).await.unwrap();
    let guard = "UPDATE things SET name = 'seen' WHERE id = $1 AND name = 'new'";
    let write = |guarded: i64, id: i64| {
        vec![Step::once(sql(guard), [guarded.into()]).must_change(1), Step::once(sql(INSERT), thing(id))]
    };
    catalog.run(sql("INSERT INTO things (id, name) VALUES (1, 'new')"), []).await.unwrap();
    catalog.transaction(write(1, 10)).await.unwrap();
    let error = catalog.transaction(write(1, 11)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(error.to_string(), "statement test/statement changed 0 rows where 1 had to change");
    assert_eq!(count(&catalog).await, 2);
}

pub async fn answers_come_in_the_order_of_the_parameter_sets(place: Place) {
    let catalog = place.open().await;
    catalog.run(sql(TABLE), []).await.unwrap();
    let ids: Vec<i64> = (0..1_000).map(|n| (n * 7919) % 1_000).collect();
    let steps = vec![
        Step::each(sql(INSERT), ids.iter().copied().map(thing).collect()),
        Step::each(sql("SELECT name FROM things WHERE id = $1"), vec![vec![5.into()], vec![(-1).into()]]),
        Step::each(sql("DELETE FROM things WHERE id < $1"), vec![vec![10.into()], vec![30.into()]]),
        Step::each(sql(INSERT), Vec::new()),
    ];
    let done = catalog.transaction(steps).await.unwrap();
    let answered: Vec<i64> = done[0].rows.iter().map(|row| row.int("id").unwrap()).collect();
    assert_eq!(answered, ids);
    let changed: Vec<u64> = done.iter().map(|step| step.changed).collect();
    assert_eq!(changed, [1_000, 1, 30, 0]);
    assert_eq!(done[1].rows[0].text("name").unwrap(), "thing 5");
}

pub async fn a_broken_rule_is_a_conflict_that_no_retry_mends(place: Place) {
    let catalog = place.open().await;
    catalog.run(sql(TABLE), []).await.unwrap();
    catalog.run(sql(INSERT), thing(1)).await.unwrap();
    for set in [thing(1), vec![2.into(), "".into()], vec![2.into(), Value::Null(catalog::Kind::Text)]] {
        let error = catalog.run(sql(INSERT), set).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        assert!(!error.is_retryable());
        assert!(error.to_string().starts_with("statement test/statement: "), "{error}");
    }
}

pub async fn a_missing_table_says_what_to_do(place: Place) {
    let catalog = place.open().await;
    let error = catalog::runs::get(&catalog, 1).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Schema);
    let text = error.to_string();
    assert!(text.starts_with("statement runs/get: ") && text.contains("run `canvass migrate`"), "{text}");
}

pub async fn the_wrong_number_of_parameters_is_a_defect(place: Place) {
    let catalog = place.open().await;
    let error = catalog.run(sql("SELECT $1 AS a, $2 AS b"), [Value::Int(1)]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Defect, "{error}");
    assert_eq!(catalog.run(sql("SELECT $1 AS a"), [Value::Int(1)]).await.unwrap().rows.len(), 1);
}

/// A driver that prepares statements under names gets other queries' rows through PgBouncer, without an error.
pub async fn thousands_of_queries_at_once_each_get_their_own_rows(place: Place) {
    let catalog = place.open().await;
    let tasks: Vec<_> = (0..32_i64)
        .map(|task| {
            let catalog = catalog.clone();
            tokio::spawn(async move {
                for n in 0..100_i64 {
                    let id = task * 1_000 + n;
                    ask_one(&catalog, id).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

/// One of four shapes of question, so that neighbours on one connection differ in text, types and columns.
async fn ask_one(catalog: &catalog::Catalog, id: i64) {
    let text = format!("text {id}");
    match id % 4 {
        0 => {
            let done = catalog.run(sql("SELECT $1 AS a, $2 AS b"), [id.into(), text.as_str().into()]).await;
            let row = &done.unwrap().rows[0];
            assert_eq!((row.int("a").unwrap(), row.text("b").unwrap()), (id, text));
        }
        1 => {
            let done = catalog.run(sql("SELECT $1 AS a, $2 AS b"), [text.as_str().into(), id.into()]).await;
            let row = &done.unwrap().rows[0];
            assert_eq!((row.text("a").unwrap(), row.int("b").unwrap()), (text, id));
        }
        2 => {
            let set = [Moment(id).into(), json!({ "id": id }).into(), (id as f64).into()];
            let done = catalog.run(sql("SELECT $3 AS c, $1 AS a, $2 AS b"), set).await;
            let row = &done.unwrap().rows[0];
            assert_eq!(row.moment("a").unwrap(), Moment(id));
            assert_eq!(row.json("b").unwrap(), json!({ "id": id }));
            assert_eq!(row.real("c").unwrap(), id as f64);
        }
        _ => {
            let sets = (0..20).map(|n| vec![Value::Int(id + n)]).collect();
            let done = catalog.transaction(vec![Step::each(sql("SELECT $1 AS a"), sets)]).await.unwrap();
            let found: Vec<i64> = done[0].rows.iter().map(|row| row.int("a").unwrap()).collect();
            assert_eq!(found, (id..id + 20).collect::<Vec<_>>());
        }
    }
}
