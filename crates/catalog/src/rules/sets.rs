//! Which rules are in force?

use domain::Moment;

use crate::{
    Catalog, CatalogError, ErrorKind, Row, Step, Value,
    statements::{ACTIVATE_RULE_SET, ADVANCE_COUNTER, GET_ACTIVE_RULE_SET, GET_RULE_SET, LIST_RULE_SETS},
};

/// The enabled rules of a moment, frozen; without their definition, which is long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSetRow {
    /// Its number, which every match and every finding carries.
    pub version: i64,
    /// The digest of its definition: the same rules are the same rule set.
    pub digest: String,
    /// When it was first frozen.
    pub created_at: Moment,
    /// When it was last put in force.
    pub activated_at: Moment,
    /// Why it was last put in force, in words.
    pub reason: String,
    /// How many signals it looks for.
    pub signals: i64,
    /// How many fingerprints it has.
    pub fingerprints: i64,
}

/// Puts these rules in force; rules with a known digest get their old version back, and those that are in force stay
/// as they are.
pub async fn activate(
    catalog: &Catalog,
    digest: &str,
    definition: &[u8],
    signals: i64,
    fingerprints: i64,
    reason: &str,
    now: Moment,
) -> Result<RuleSetRow, CatalogError> {
    if let Some((in_force, _)) = active(catalog).await?
        && in_force.digest == digest
    {
        return Ok(in_force);
    }
    let parameters: [Value; 6] =
        [digest.into(), now.into(), reason.into(), signals.into(), fingerprints.into(), definition.into()];
    let done = catalog
        .transaction(vec![
            Step::once(ADVANCE_COUNTER, ["activations".into()]),
            Step::once(ACTIVATE_RULE_SET, parameters).must_change(1),
        ])
        .await?;
    let activated = done.get(1).and_then(|step| step.rows.first());
    let nothing = || CatalogError::new(ErrorKind::Defect, "rules were put in force without a version");
    rule_set_of(activated.ok_or_else(nothing)?)
}

/// The rules in force, with their definition.
pub async fn active(catalog: &Catalog) -> Result<Option<(RuleSetRow, Vec<u8>)>, CatalogError> {
    let done = catalog.run(GET_ACTIVE_RULE_SET, []).await?;
    done.rows.first().map(with_definition).transpose()
}

/// The rules of this version, with their definition.
pub async fn rule_set(
    catalog: &Catalog,
    version: i64,
) -> Result<Option<(RuleSetRow, Vec<u8>)>, CatalogError> {
    let done = catalog.run(GET_RULE_SET, [version.into()]).await?;
    done.rows.first().map(with_definition).transpose()
}

/// Every rule set, oldest first.
pub async fn rule_sets(catalog: &Catalog) -> Result<Vec<RuleSetRow>, CatalogError> {
    catalog.run(LIST_RULE_SETS, []).await?.rows.iter().map(rule_set_of).collect()
}

fn with_definition(row: &Row) -> Result<(RuleSetRow, Vec<u8>), CatalogError> {
    Ok((rule_set_of(row)?, row.bytes("definition")?))
}

fn rule_set_of(row: &Row) -> Result<RuleSetRow, CatalogError> {
    Ok(RuleSetRow {
        version: row.int("version")?,
        digest: row.text("digest")?,
        created_at: row.moment("created_at")?,
        activated_at: row.moment("activated_at")?,
        reason: row.text("reason")?,
        signals: row.int("signals")?,
        fingerprints: row.int("fingerprints")?,
    })
}
