//! Which certificate does each name have, good or bad?

use std::{collections::HashMap, sync::Arc};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};

use super::SandboxError;
use crate::{Behaviour, Site, World};

/// The authority of a world, and what it signed; it lives as long as the server and is trusted by nobody else.
#[derive(Debug)]
pub(super) struct Authority {
    pub(super) ca_pem: String,
    http1: Arc<ServerConfig>,
    http2: Arc<ServerConfig>,
    http2_names: Vec<String>,
}

/// The certificates by name.
#[derive(Debug)]
struct ByName(HashMap<String, Arc<CertifiedKey>>);

impl ResolvesServerCert for ByName {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.get(hello.server_name()?).cloned()
    }
}

impl Authority {
    pub(super) fn for_world(world: &World) -> Result<Authority, SandboxError> {
        let mut ca = CertificateParams::default();
        ca.distinguished_name.push(DnType::CommonName, "canvass sandbox");
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let ca_key = KeyPair::generate().map_err(refused)?;
        let ca_pem = ca.self_signed(&ca_key).map_err(refused)?.pem();
        let issuer = Issuer::new(ca, ca_key);

        // One key for all certificates: the sandbox has no secrets, and keys take time.
        let key = KeyPair::generate().map_err(refused)?;
        let der = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let signing = rustls::crypto::ring::sign::any_supported_type(&der).map_err(refused)?;
        let mut by_name = HashMap::new();
        let mut http2_names = Vec::new();
        for site in world.sites().iter().filter(|site| site.behaviour.speaks_tls()) {
            let certificate = certificate_of(site, &key, &issuer)?;
            let certified = Arc::new(CertifiedKey::new(vec![certificate], Arc::clone(&signing)));
            by_name.extend(site.names().map(|name| (name.to_owned(), Arc::clone(&certified))));
            if site.behaviour == Behaviour::TlsH2 {
                http2_names.extend(site.names().map(str::to_owned));
            }
        }
        let by_name = Arc::new(ByName(by_name));
        let http1 = config(Arc::clone(&by_name), &[b"http/1.1"])?;
        let http2 = config(by_name, &[b"h2", b"http/1.1"])?;
        Ok(Authority { ca_pem, http1, http2, http2_names })
    }

    /// How TLS is spoken with a client that asks for `name`.
    pub(super) fn config_for(&self, name: &str) -> Arc<ServerConfig> {
        let offers_http2 = self.http2_names.iter().any(|other| other == name);
        Arc::clone(if offers_http2 { &self.http2 } else { &self.http1 })
    }
}

fn certificate_of(
    site: &Site,
    key: &KeyPair,
    issuer: &Issuer<'_, KeyPair>,
) -> Result<CertificateDer<'static>, SandboxError> {
    let names: Vec<String> = match site.behaviour {
        Behaviour::TlsWrongHost => vec!["somebody-else.test".to_owned()],
        _ => site.names().map(str::to_owned).collect(),
    };
    let mut params = CertificateParams::new(names).map_err(refused)?;
    params.distinguished_name.push(DnType::CommonName, site.name.as_str());
    if site.behaviour == Behaviour::TlsExpired {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    }
    let certificate = match site.behaviour {
        Behaviour::TlsSelfSigned => params.self_signed(key),
        _ => params.signed_by(key, issuer),
    };
    Ok(certificate.map_err(refused)?.der().clone())
}

fn config(by_name: Arc<ByName>, protocols: &[&[u8]]) -> Result<Arc<ServerConfig>, SandboxError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(refused)?
        .with_no_client_auth()
        .with_cert_resolver(by_name);
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(Arc::new(config))
}

fn refused(why: impl std::fmt::Display) -> SandboxError {
    SandboxError::Certificate(why.to_string())
}
