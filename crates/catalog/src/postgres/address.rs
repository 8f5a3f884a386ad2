//! Where is the server, and which of its schemas is ours?

use tokio_postgres::{Config, config::SslMode};

use super::failure::connect_error;
use crate::error::{CatalogError, ErrorKind, redact};

/// The settings in a database URL.
pub(super) fn read_url(url: &str) -> Result<Config, CatalogError> {
    let wants_tls = |mode: &str| {
        let message = format!(
            "sslmode={mode} needs TLS to PostgreSQL, which this program does not speak: use sslmode=disable on a \
             trusted network, or reach the server through a PgBouncer or a tunnel on this machine that does"
        );
        CatalogError::new(ErrorKind::Configuration, message)
    };
    // the parser below does not know these two and would only say "invalid"
    for mode in ["verify-ca", "verify-full"] {
        if url.contains(&format!("sslmode={mode}")) {
            return Err(wants_tls(mode));
        }
    }
    let config: Config = url.parse().map_err(|error| connect_error(&error, &redact(url)))?;
    if config.get_ssl_mode() == SslMode::Require {
        return Err(wants_tls("require"));
    }
    Ok(config)
}

/// Refuses a schema's name that would have to be quoted, and with it any that carries SQL.
pub(super) fn check_schema_name(schema: &str) -> Result<(), CatalogError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if (1..=63).contains(&schema.len())
        && schema.chars().all(plain)
        && !schema.starts_with(|c: char| c.is_ascii_digit())
    {
        return Ok(());
    }
    let message = format!(
        "`{schema}` is not a schema's name: use 1 to 63 lower-case letters, digits and `_`, not starting with a digit"
    );
    Err(CatalogError::new(ErrorKind::Configuration, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_that_asks_for_tls_is_told_that_there_is_none() {
        for mode in ["require", "verify-ca", "verify-full"] {
            let error = read_url(&format!("postgres://ann:s3cret@db/x?sslmode={mode}")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains(&format!("sslmode={mode} needs TLS")), "{error}");
        }
        read_url("postgres://ann@db/x?sslmode=prefer").unwrap();
    }

    #[test]
    fn a_url_that_cannot_be_read_is_shown_without_its_password() {
        let error = read_url("postgres://ann:s3cret@db:notaport/x").unwrap_err().to_string();
        assert!(error.contains("postgres://ann:***@db:notaport/x") && !error.contains("s3cret"), "{error}");
    }

    #[test]
    fn a_schema_name_cannot_carry_sql() {
        for bad in ["", "a\"b", "a;b", "a'b", "A", "1a", "ä", &"a".repeat(64)] {
            assert!(check_schema_name(bad).is_err(), "{bad:?} was accepted");
        }
        check_schema_name("canvass_1").unwrap();
    }
}
