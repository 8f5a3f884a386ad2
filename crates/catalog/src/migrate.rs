//! Are the tables those that this program was built for, and how do they become so?
//!
//! Migrations are explicit: nothing here runs on start. Each is one transaction together with its record, and
//! processes that migrate at once wait for each other, so that each migration happens exactly once.

use domain::Moment;
use sha2::{Digest, Sha256};

use crate::{
    Catalog,
    error::{CatalogError, ErrorKind},
    session::{Patience, Session, Step},
    statements::{
        APPLIED_MIGRATIONS, CREATE_MIGRATIONS_TABLE, MIGRATIONS_TABLE_EXISTS, RECORD_MIGRATION,
        SERIALISE_MIGRATIONS,
    },
    value::Value,
};

/// One change of the tables, once it has been released never edited.
#[derive(Debug, Clone, Copy)]
struct Migration {
    name: &'static str,
    portable: &'static str,
    postgres: Option<&'static str>,
}

/// One line per migration in order; `+ postgres` where there is an exception beside it.
macro_rules! migrations {
    ($($name:literal $(+ $postgres:ident)?;)*) => {
        const MIGRATIONS: &[Migration] = &[$(Migration {
            name: $name,
            portable: include_str!(concat!("../migrations/", $name, ".sql")),
            postgres: migrations!(@exception $name $($postgres)?),
        }),*];
    };
    (@exception $name:literal) => { None };
    (@exception $name:literal postgres) => { Some(include_str!(concat!("../migrations/", $name, ".postgres.sql"))) };
}

migrations! {
    "0001_runs";
    "0002_locks";
    "0003_politeness";
    "0004_technographics";
    "0005_byte_order" + postgres;
}

impl Migration {
    fn text(&self, session: &Session) -> &'static str {
        match session {
            Session::Sqlite(_) => self.portable,
            Session::Postgres(_) => self.postgres.unwrap_or(self.portable),
        }
    }

    fn checksum(&self, session: &Session) -> String {
        Sha256::digest(self.text(session).as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Why the tables cannot be used, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaProblem {
    /// There are no tables yet.
    #[error("the catalog has no tables yet: run `canvass migrate`")]
    Missing,
    /// Migrations are still to be applied.
    #[error("the catalog is at `{have}` and this program needs `{need}`: run `canvass migrate`")]
    Older {
        /// The last migration that was applied.
        have: String,
        /// The last that this program knows.
        need: String,
    },
    /// Another, newer program has migrated it.
    #[error(
        "this program is older than the catalog: the catalog is at `{have}` and this program knows migrations up \
         to `{need}`; use a newer canvass"
    )]
    Newer {
        /// The last migration that was applied.
        have: String,
        /// The last that this program knows.
        need: String,
    },
    /// A migration that was applied reads otherwise in this program.
    #[error(
        "migration `{name}` was applied to the catalog with another text than this program has: \
         use the program that made the catalog, or restore the catalog it belongs to"
    )]
    Changed {
        /// The migration.
        name: String,
    },
    /// The catalog could not be asked.
    #[error(transparent)]
    Unreadable(#[from] CatalogError),
}

impl Catalog {
    /// Says whether the tables are exactly those that this program was built for.
    pub async fn check_schema(&self) -> Result<(), SchemaProblem> {
        let pending = self.pending().await?;
        let (Some(next), Some(last)) = (pending.first(), MIGRATIONS.last()) else { return Ok(()) };
        match MIGRATIONS.iter().take_while(|one| one.name != *next).last() {
            None => Err(SchemaProblem::Missing),
            Some(have) => Err(SchemaProblem::Older { have: have.name.into(), need: last.name.into() }),
        }
    }

    /// The migrations that are still to be applied, in order; changes nothing.
    pub async fn pending(&self) -> Result<Vec<&'static str>, SchemaProblem> {
        let applied = self.applied().await?;
        let last_known = MIGRATIONS.last().map_or("", |last| last.name);
        for (at, (name, checksum)) in applied.iter().enumerate() {
            match MIGRATIONS.get(at) {
                Some(known) if known.name == name => {
                    if known.checksum(&self.session) != *checksum {
                        return Err(SchemaProblem::Changed { name: name.clone() });
                    }
                }
                // a name that this program does not have at this place was written by another program
                _ => {
                    let have = applied.last().map_or_else(String::new, |(name, _)| name.clone());
                    return Err(SchemaProblem::Newer { have, need: last_known.into() });
                }
            }
        }
        Ok(MIGRATIONS[applied.len()..].iter().map(|one| one.name).collect())
    }

    /// Applies what is pending and says what this call applied; another process may have applied the rest.
    pub async fn migrate(&self, now: Moment) -> Result<Vec<&'static str>, SchemaProblem> {
        let mut applied_here = Vec::new();
        while let Some(next) = self.pending().await?.first().copied() {
            let Some(migration) = MIGRATIONS.iter().find(|one| one.name == next) else { break };
            match self.apply(migration, now).await {
                Ok(()) => {
                    tracing::info!(migration = next, "migration applied");
                    applied_here.push(next);
                }
                // another process was first; what it left is looked at again
                Err(error) if error.kind() == ErrorKind::Conflict && self.is_recorded(next).await? => {}
                Err(error) => return Err(error.during(format!("migration `{next}`")).into()),
            }
        }
        Ok(applied_here)
    }

    async fn apply(&self, migration: &Migration, now: Moment) -> Result<(), CatalogError> {
        let record = [migration.name.into(), migration.checksum(&self.session).into(), now.into()];
        let mut steps = vec![Step::once(SERIALISE_MIGRATIONS, [])];
        steps.extend(self.session.make_room());
        steps.extend([
            Step::once(CREATE_MIGRATIONS_TABLE, []),
            Step::once(RECORD_MIGRATION, record).must_change(1),
            Step::script(migration.text(&self.session)),
        ]);
        self.session.run(steps, Patience::Migration).await.map(drop)
    }

    async fn is_recorded(&self, name: &str) -> Result<bool, CatalogError> {
        Ok(self.applied().await?.iter().any(|(applied, _)| applied == name))
    }

    async fn applied(&self) -> Result<Vec<(String, String)>, CatalogError> {
        let exists = self.run(MIGRATIONS_TABLE_EXISTS, Vec::<Value>::new()).await?;
        let Some(answer) = exists.rows.first() else { return Ok(Vec::new()) };
        if !answer.bool("present")? {
            return Ok(Vec::new());
        }
        let found = self.run(APPLIED_MIGRATIONS, []).await?;
        found.rows.iter().map(|row| Ok((row.text("name")?, row.text("checksum")?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn every_migration_file_is_registered_in_the_order_of_its_number() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let files: BTreeSet<String> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let mut registered = BTreeSet::new();
        for (at, migration) in MIGRATIONS.iter().enumerate() {
            assert!(migration.name.starts_with(&format!("{:04}_", at + 1)), "{}", migration.name);
            registered.insert(format!("{}.sql", migration.name));
            if let Some(text) = migration.postgres {
                assert!(text.starts_with("-- "), "{} gives no reason on line one", migration.name);
                registered.insert(format!("{}.postgres.sql", migration.name));
            }
        }
        assert_eq!(files, registered);
    }

    #[test]
    fn no_migration_ends_the_transaction_it_runs_in() {
        for migration in MIGRATIONS {
            for text in [Some(migration.portable), migration.postgres].into_iter().flatten() {
                let upper = text.to_uppercase();
                for word in ["COMMIT", "ROLLBACK", "BEGIN;", "CONCURRENTLY", "VACUUM"] {
                    assert!(!upper.contains(word), "{} has {word}", migration.name);
                }
            }
        }
    }
}
