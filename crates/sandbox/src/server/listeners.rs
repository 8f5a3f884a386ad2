//! On which addresses and ports is a world served?

use std::{collections::BTreeSet, io, net::Ipv4Addr};

use tokio::net::{TcpListener, TcpSocket};

use super::SandboxError;
use crate::World;

pub(super) struct Listeners {
    pub(super) http: Vec<(Ipv4Addr, TcpListener)>,
    pub(super) http_port: u16,
    pub(super) https: Vec<(Ipv4Addr, TcpListener)>,
    pub(super) https_port: u16,
}

impl Listeners {
    /// One listener for each address of the world and port.
    pub(super) fn bind(world: &World, http_port: u16, https_port: u16) -> Result<Listeners, SandboxError> {
        let listening = || world.sites().iter().filter(|site| site.listens());
        let plain: BTreeSet<Ipv4Addr> = listening().filter_map(|site| site.address).collect();
        let secure: BTreeSet<Ipv4Addr> =
            listening().filter(|site| site.behaviour.speaks_tls()).filter_map(|site| site.address).collect();
        let silent: BTreeSet<Ipv4Addr> =
            world.sites().iter().filter(|site| !site.listens()).filter_map(|site| site.address).collect();

        // Every listener is a descriptor, and so is every connection. Where the limit stays low, binding says so.
        let _ = rlimit::increase_nofile_limit((plain.len() + secure.len()) as u64 + 8_192);
        let (http, http_port) = bind_all(&plain, &silent, http_port, 18_000)?;
        let (https, https_port) = bind_all(&secure, &silent, https_port, 25_000)?;
        Ok(Listeners { http, http_port, https, https_port })
    }
}

type Bound = (Vec<(Ipv4Addr, TcpListener)>, u16);

/// Listens on `port` of all addresses, or on the first port from `first` that is free on all if `port` is 0.
///
/// The ports that are tried lie below those that the system gives to clients, so that no client is in the way.
fn bind_all(
    addresses: &BTreeSet<Ipv4Addr>,
    silent: &BTreeSet<Ipv4Addr>,
    port: u16,
    first: u16,
) -> Result<Bound, SandboxError> {
    if port != 0 {
        let listeners = bind_each(addresses, port);
        return listeners
            .map(|listeners| (listeners, port))
            .map_err(|(address, source)| SandboxError::Listen { address, port, source });
    }
    // Two servers that start at the same time begin in different places.
    let first = first + (std::process::id() % 6_000) as u16;
    let last = first + 800;
    for port in first..=last {
        // Nobody may listen where a connection is to be refused.
        if bind_each(silent, port).is_err() {
            continue;
        }
        match bind_each(addresses, port) {
            Ok(listeners) => return Ok((listeners, port)),
            Err((_, taken)) if taken.kind() == io::ErrorKind::AddrInUse => {}
            Err((address, source)) => return Err(SandboxError::Listen { address, port, source }),
        }
    }
    Err(SandboxError::NoFreePort { first, last, addresses: addresses.len() })
}

fn bind_each(
    addresses: &BTreeSet<Ipv4Addr>,
    port: u16,
) -> Result<Vec<(Ipv4Addr, TcpListener)>, (Ipv4Addr, io::Error)> {
    addresses
        .iter()
        .map(|address| {
            listen(*address, port).map(|listener| (*address, listener)).map_err(|why| (*address, why))
        })
        .collect()
}

fn listen(address: Ipv4Addr, port: u16) -> io::Result<TcpListener> {
    if !address.is_loopback() {
        return Err(io::Error::new(io::ErrorKind::AddrNotAvailable, "the sandbox stays on loopback"));
    }
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind((address, port).into())?;
    socket.listen(1024)
}
