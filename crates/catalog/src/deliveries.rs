//! What was delivered where?

use domain::Moment;

use crate::{
    Catalog, CatalogError, Kind, Row, Value,
    statements::{FIND_DELIVERY, LIST_DELIVERIES, NOTE_DELIVERY},
};

/// A file that reached its destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The name of the destination in the settings.
    pub destination: String,
    /// The name of the file.
    pub file: String,
    /// The hash of its content.
    pub sha256: String,
    /// Where at the destination it is.
    pub path: String,
    /// How many bytes it has there.
    pub bytes: i64,
    /// The round that made it.
    pub round: String,
    /// When it was there.
    pub delivered_at: Moment,
}

/// The delivery of this very content under this name to this destination, if there was one.
pub async fn already_delivered(
    catalog: &Catalog,
    destination: &str,
    file: &str,
    sha256: &str,
) -> Result<Option<Delivery>, CatalogError> {
    let done = catalog.run(FIND_DELIVERY, [destination.into(), file.into(), sha256.into()]).await?;
    done.rows.first().map(delivery_of).transpose()
}

/// Notes a delivery, so that the newest note under a path tells what is there.
///
/// `false` if this content was noted at this moment or a later one before: then that note stays.
pub async fn note(catalog: &Catalog, delivery: &Delivery) -> Result<bool, CatalogError> {
    let Delivery { destination, file, sha256, path, bytes, round, delivered_at } = delivery;
    let parameters: [Value; 7] = [
        destination.as_str().into(),
        file.as_str().into(),
        sha256.as_str().into(),
        path.as_str().into(),
        (*bytes).into(),
        round.as_str().into(),
        (*delivered_at).into(),
    ];
    Ok(catalog.run(NOTE_DELIVERY, parameters).await?.changed == 1)
}

/// The deliveries of a round, or all, newest first, at most `limit`.
pub async fn list(catalog: &Catalog, round: Option<&str>, limit: i64) -> Result<Vec<Delivery>, CatalogError> {
    let done = catalog.run(LIST_DELIVERIES, [Value::optional(round, Kind::Text), limit.into()]).await?;
    done.rows.iter().map(delivery_of).collect()
}

fn delivery_of(row: &Row) -> Result<Delivery, CatalogError> {
    Ok(Delivery {
        destination: row.text("destination")?,
        file: row.text("file")?,
        sha256: row.text("sha256")?,
        path: row.text("path")?,
        bytes: row.int("bytes")?,
        round: row.text("round")?,
        delivered_at: row.moment("delivered_at")?,
    })
}
