//! Whom do we believe to be who they say?

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};

use crate::{FetchSettings, SetupError};

/// The public certificate authorities and those of the settings; nothing of this machine's store, so that a round is
/// the same on every machine.
pub(crate) fn client_config(settings: &FetchSettings) -> Result<Arc<ClientConfig>, SetupError> {
    let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    if let Some(path) = &settings.extra_ca_file {
        add_from_file(&mut roots, path)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring offers the cipher suites of the default versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols =
        if settings.http2 { vec![b"h2".to_vec(), b"http/1.1".to_vec()] } else { vec![b"http/1.1".to_vec()] };
    Ok(Arc::new(config))
}

fn add_from_file(roots: &mut RootCertStore, path: &Path) -> Result<(), SetupError> {
    let bad = |reason: String| SetupError::BadCertificates { path: path.to_owned(), reason };
    let pem =
        std::fs::read(path).map_err(|source| SetupError::Unreadable { path: path.to_owned(), source })?;
    let before = roots.len();
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| bad(error.to_string()))?;
        roots.add(certificate).map_err(|error| bad(error.to_string()))?;
    }
    if roots.len() == before {
        return Err(bad("no certificate in it".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let settings = FetchSettings { extra_ca_file: Some(path.clone()), ..FetchSettings::default() };
        let message = |settings| client_config(settings).unwrap_err().to_string();
        assert!(message(&settings).contains("cannot read"));
        for text in ["", "not PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            std::fs::write(&path, text).unwrap();
            let message = message(&settings);
            assert!(message.contains("ca.pem"), "{message}");
        }
    }
}
