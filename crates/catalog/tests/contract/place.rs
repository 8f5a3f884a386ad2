//! Where does a test keep its tables, so that no other test sees them?

use std::{
    panic::resume_unwind,
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

use catalog::{Catalog, CatalogError, OpenOptions, Statement};
use domain::Moment;
use tempfile::TempDir;

use crate::Test;

/// A time in the past that no test depends on.
pub const NOW: Moment = Moment(1_700_000_000_000);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
    PgBouncer,
}

impl Backend {
    pub const ALL: [Backend; 3] = [Backend::Sqlite, Backend::Postgres, Backend::PgBouncer];

    pub fn name(self) -> &'static str {
        match self {
            Backend::Sqlite => "sqlite",
            Backend::Postgres => "postgres",
            Backend::PgBouncer => "pgbouncer",
        }
    }

    /// A place of its own for one test, or why there is none.
    pub fn place(self) -> Result<Place, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
        let variable = match self {
            Backend::Sqlite => {
                let url = format!("sqlite:{}", dir.path().join("catalog.db").display());
                return Ok(Place { url, schema: None, dir });
            }
            Backend::Postgres => "CANVASS_TEST_POSTGRES",
            Backend::PgBouncer => "CANVASS_TEST_PGBOUNCER",
        };
        let url = std::env::var(variable).map_err(|_| format!("{variable} is not set: run ./test"))?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Place { url, schema: Some(format!("t{}_{number}", std::process::id())), dir })
    }
}

/// A file, or a schema that is made before the test and dropped after it.
pub struct Place {
    pub url: String,
    schema: Option<String>,
    dir: TempDir,
}

impl Place {
    pub fn file(&self) -> PathBuf {
        self.dir.path().join("catalog.db")
    }

    pub fn options(&self) -> OpenOptions {
        OpenOptions { schema: self.schema.clone(), ..OpenOptions::default() }
    }

    /// A way to the place of its own, as another process would have.
    pub async fn open(&self) -> Catalog {
        self.try_open(self.options()).await.unwrap()
    }

    pub async fn try_open(&self, options: OpenOptions) -> Result<Catalog, CatalogError> {
        Catalog::open(&self.url, options).await
    }

    /// The same with the tables in place.
    pub async fn migrated(&self) -> Catalog {
        let catalog = self.open().await;
        catalog.migrate(NOW).await.unwrap();
        catalog
    }

    pub fn run(self, test: Test) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let (url, schema) = (self.url.clone(), self.schema.clone());
            let administer = async |command: &str| {
                let Some(schema) = &schema else { return };
                let text = leak(command.replace("SCHEMA", &format!("SCHEMA {schema}")));
                let catalog = Catalog::open(&url, OpenOptions::default()).await.unwrap();
                catalog.run(Statement::ad_hoc("test/schema", text), []).await.unwrap();
            };
            administer("CREATE SCHEMA").await;
            let outcome = tokio::spawn(test(self)).await;
            administer("DROP SCHEMA CASCADE").await;
            if let Err(failed) = outcome {
                resume_unwind(failed.into_panic());
            }
        });
    }
}

/// A statement of the test's own.
pub fn sql(text: impl Into<String>) -> Statement {
    Statement::ad_hoc("test/statement", leak(text.into()))
}

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
