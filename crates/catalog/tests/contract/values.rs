//! Does a value come back as it went, whatever stores it?

use catalog::{ErrorKind, Kind, Value};
use domain::Moment;
use serde_json::json;

use crate::place::{Place, sql};

const TABLE: &str = "CREATE TABLE things (at bigint PRIMARY KEY, a boolean, b bigint, c double precision, \
                     d text, e bytea, f timestamptz, g jsonb)";
const INSERT: &str = "INSERT INTO things (at, a, b, c, d, e, f, g) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

pub async fn each_type_comes_back_as_it_went(place: Place) {
    let catalog = place.open().await;
    catalog.run(sql(TABLE), []).await.unwrap();
    let all_bytes: Vec<u8> = (0..=255).collect();
    let long = "x".repeat(1 << 20);
    let things = [
        (true, i64::MAX, 1.5, "plain", &all_bytes[..], Moment(1), json!({"a": [1, 2.5, null, "b"]})),
        (false, i64::MIN, -2.0, "", &[], Moment(-1), json!({})),
        (true, 0, f64::MAX, "naïve 例 🦀 '\"\\%$1", b"\0", Moment(253_402_000_000_000), json!([])),
        (false, -1, f64::MIN_POSITIVE, long.as_str(), b"x", Moment(-62_000_000_000_000), json!("text")),
        (false, 1, 1e300, "a\r\n\tb", b"y", Moment(1_700_000_000_123), json!(7)),
    ];
    for (at, (a, b, c, d, e, f, g)) in (0_i64..).zip(&things) {
        let set: [Value; 8] = [
            at.into(),
            (*a).into(),
            (*b).into(),
            (*c).into(),
            (*d).into(),
            (*e).into(),
            (*f).into(),
            g.clone().into(),
        ];
        assert_eq!(catalog.run(sql(INSERT), set).await.unwrap().changed, 1);
    }
    let found = catalog.run(sql("SELECT * FROM things ORDER BY at"), []).await.unwrap();
    assert_eq!(found.rows.len(), things.len());
    for (row, (a, b, c, d, e, f, g)) in found.rows.iter().zip(&things) {
        assert_eq!(row.bool("a").unwrap(), *a);
        assert_eq!(row.int("b").unwrap(), *b);
        assert_eq!(row.real("c").unwrap().to_bits(), c.to_bits());
        assert_eq!(row.text("d").unwrap(), *d);
        assert_eq!(row.bytes("e").unwrap(), *e);
        assert_eq!(row.moment("f").unwrap(), *f);
        assert_eq!(row.json("g").unwrap(), *g);
    }
    for (beyond, kept) in
        [(Moment::FAR_FUTURE, "9999-12-30T22:00:00.000Z"), (Moment(i64::MIN), "0001-01-01T00:00:00.000Z")]
    {
        let kept_as = sql("UPDATE things SET f = $1 WHERE at = 0 RETURNING f");
        let done = catalog.run(kept_as, [beyond.into()]).await.unwrap();
        assert_eq!(done.rows[0].moment("f").unwrap().to_string(), kept);
    }
}

pub async fn nothing_comes_back_as_nothing(place: Place) {
    let catalog = place.open().await;
    catalog.run(sql(TABLE), []).await.unwrap();
    let kinds = [Kind::Bool, Kind::Int, Kind::Real, Kind::Text, Kind::Bytes, Kind::Time, Kind::Json];
    let set: Vec<Value> = std::iter::once(Value::Int(1)).chain(kinds.map(Value::Null)).collect();
    catalog.run(sql(INSERT), set).await.unwrap();
    let found = catalog.run(sql("SELECT * FROM things"), []).await.unwrap();
    let row = &found.rows[0];
    assert_eq!(row.int_opt("b").unwrap(), None);
    assert_eq!(row.text_opt("d").unwrap(), None);
    assert_eq!(row.moment_opt("f").unwrap(), None);
    let error = row.json("g").unwrap_err();
    assert_eq!(error.to_string(), "statement test/statement, column `g`: found no value");
}

pub async fn parameters_are_bound_by_their_number(place: Place) {
    let catalog = place.open().await;
    let swapped = sql("SELECT $2 AS second, $1 AS first, $2 AS again");
    let done = catalog.run(swapped, [Value::Int(1), Value::from("two")]).await.unwrap();
    assert_eq!(done.rows[0].int("first").unwrap(), 1);
    assert_eq!(done.rows[0].text("second").unwrap(), "two");
    assert_eq!(done.rows[0].text("again").unwrap(), "two");
}

pub async fn what_cannot_be_stored_is_refused_by_name(place: Place) {
    let catalog = place.open().await;
    let both = sql("SELECT $1 AS a, $2 AS b");
    for bad in [Value::from("a\0"), Value::from(json!(["\0"])), Value::Real(f64::NAN)] {
        let error = catalog.run(both, [Value::Int(1), bad]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Value);
        assert!(error.to_string().starts_with("statement test/statement, $2: "), "{error}");
        assert!(!error.is_retryable());
    }
}
