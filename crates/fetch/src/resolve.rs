//! To which addresses does a host lead, and may they be asked?

use std::{
    net::{IpAddr, SocketAddr},
    path::Path,
    time::Duration,
};

use domain::{Failure, FailureKind};
use hickory_resolver::{
    TokioResolver,
    config::{
        ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
    },
    net::{DnsError, NetError, runtime::TokioRuntimeProvider},
    proto::{op::ResponseCode, rr::Name},
};
use url::Host;

use crate::{AllowPrivate, FetchError, FetchSettings, HostsFile, SetupError, destination::Origin, failure};

/// Answers that are kept: enough for the hosts that are in flight, not for the whole list.
const CACHED_ANSWERS: u64 = 16_384;
const LONGEST_CACHED: Duration = Duration::from_secs(3600);
const LONGEST_CACHED_NEGATIVE: Duration = Duration::from_secs(300);
/// More addresses of one name than this are not tried.
const MAX_ADDRESSES: usize = 4;

/// Leads from a host to addresses that were checked.
pub(crate) struct Resolver {
    hosts: HostsFile,
    /// Or why there is no DNS: names in the hosts file work without it.
    dns: Result<TokioResolver, String>,
    timeout: Duration,
    allow_private: AllowPrivate,
}

impl Resolver {
    pub(crate) fn new(settings: &FetchSettings) -> Result<Resolver, SetupError> {
        let hosts = settings.hosts_file.as_deref().map(|path: &Path| HostsFile::read(path));
        Ok(Resolver {
            hosts: hosts.transpose()?.unwrap_or_default(),
            dns: build_dns(settings).map_err(|error| failure::one_line(&error)),
            timeout: settings.resolve_timeout,
            allow_private: settings.allow_private.clone(),
        })
    }

    /// The addresses of an origin, each of which may be asked; never none.
    ///
    /// One refused address refuses the name: an answer that mixes public and private addresses is how rebinding starts.
    pub(crate) async fn resolve(&self, origin: &Origin) -> Result<Vec<SocketAddr>, FetchError> {
        let mut addresses = match &origin.host {
            Host::Ipv4(ip) => vec![SocketAddr::new(IpAddr::V4(*ip), origin.port)],
            Host::Ipv6(ip) => vec![SocketAddr::new(IpAddr::V6(*ip), origin.port)],
            Host::Domain(name) => match self.hosts.look_up(name, origin.port) {
                Some(addresses) => addresses,
                None => self.ask_dns(name, origin.port).await?,
            },
        };
        if let Some(refused) = addresses.iter().find(|address| !self.allow_private.permits(address.ip())) {
            return Err(FetchError::PrivateAddress { host: origin.host.to_string(), address: refused.ip() });
        }
        addresses.truncate(MAX_ADDRESSES);
        Ok(addresses)
    }

    async fn ask_dns(&self, name: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
        let failed = |detail: &str| Failure::new(FailureKind::DnsFailed, detail);
        let dns = self.dns.as_ref().map_err(|reason| failed(reason))?;
        let Ok(mut name) = Name::from_ascii(name) else {
            return Err(Failure::new(FailureKind::DnsNotFound, "not a name that DNS can hold"));
        };
        // Without this the system's search domains would be tried as well, and answer for someone else.
        name.set_fqdn(true);
        let answer = tokio::time::timeout(self.timeout, dns.lookup_ip(name)).await;
        let answer = answer.map_err(|_| failed("no answer in time"))?.map_err(|error| failure_of(&error))?;
        let addresses: Vec<_> = answer.iter().map(|ip| SocketAddr::new(ip, port)).collect();
        if addresses.is_empty() {
            return Err(Failure::new(FailureKind::DnsNotFound, "the name has no address"));
        }
        Ok(addresses)
    }
}

fn build_dns(settings: &FetchSettings) -> Result<TokioResolver, NetError> {
    let mut builder = if settings.nameservers.is_empty() {
        TokioResolver::builder_tokio()?
    } else {
        let servers = settings.nameservers.iter().map(|address| {
            let [mut udp, mut tcp] = [ConnectionConfig::udp(), ConnectionConfig::tcp()];
            udp.port = address.port();
            tcp.port = address.port();
            NameServerConfig::new(address.ip(), true, vec![udp, tcp])
        });
        let config = ResolverConfig::from_name_servers(servers.collect());
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        // Whoever names the servers wants their answers, not the machine's own names.
        builder.options_mut().use_hosts_file = ResolveHosts::Never;
        builder
    };
    tune(builder.options_mut(), settings.resolve_timeout);
    builder.build()
}

fn tune(options: &mut ResolverOpts, timeout: Duration) {
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    // A lost datagram is asked for again within our own timeout.
    options.timeout = timeout / 2;
    options.attempts = 1;
    options.cache_size = CACHED_ANSWERS;
    options.positive_max_ttl = Some(LONGEST_CACHED);
    options.negative_max_ttl = Some(LONGEST_CACHED_NEGATIVE);
    options.preserve_intermediates = false;
    options.max_active_requests = 1024;
}

fn failure_of(error: &NetError) -> Failure {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(none)) => match none.response_code {
            ResponseCode::NXDomain => Failure::new(FailureKind::DnsNotFound, "the name does not exist"),
            ResponseCode::NoError => Failure::new(FailureKind::DnsNotFound, "the name has no address"),
            code => Failure::new(FailureKind::DnsFailed, format!("the name server answered {code}")),
        },
        other => Failure::new(FailureKind::DnsFailed, failure::one_line(other)),
    }
}
