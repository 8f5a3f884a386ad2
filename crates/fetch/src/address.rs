//! Is this an address that a crawler may talk to?
//!
//! The answer follows the IANA special-purpose address registries. IPv6 forms that carry an IPv4 address are judged by
//! the address inside, because that is where a translator or a tunnel would deliver the packets.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// Whether packets for this address travel the public internet to one host.
#[must_use]
pub fn is_globally_routable(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => v4_is_globally_routable(ip),
        IpAddr::V6(ip) => v6_is_globally_routable(ip),
    }
}

fn v4_is_globally_routable(ip: Ipv4Addr) -> bool {
    match ip.octets() {
        // The two anycast addresses of 192.0.0.0/24 that the registry marks as globally reachable.
        [192, 0, 0, 9 | 10] => true,
        [0 | 10 | 127, ..] => false,
        [100, 64..=127, ..] => false,
        [169, 254, ..] => false,
        [172, 16..=31, ..] => false,
        [192, 0, 0 | 2, _] => false,
        [192, 88, 99, _] => false,
        [192, 168, ..] => false,
        [198, 18 | 19, ..] => false,
        [198, 51, 100, _] => false,
        [203, 0, 113, _] => false,
        [224..=255, ..] => false,
        _ => true,
    }
}

fn v6_is_globally_routable(ip: Ipv6Addr) -> bool {
    let segments = ip.segments();
    let last_two = v4_of(segments[6], segments[7]);
    match segments {
        [0, 0, 0, 0, 0, 0xffff, _, _] => v4_is_globally_routable(last_two),
        [0x64, 0xff9b, 0, 0, 0, 0, _, _] => v4_is_globally_routable(last_two),
        [0x2002, high, low, ..] if !v4_is_globally_routable(v4_of(high, low)) => false,
        [0x2001, 0..=0x1ff, ..] => is_routable_protocol_assignment(segments),
        [0x2001, 0xdb8, ..] => false,
        [0x3fff, 0..=0xfff, ..] => false,
        // ISATAP: the interface identifier names the IPv4 host behind the tunnel.
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] if !v4_is_globally_routable(last_two) => false,
        // Global unicast is assigned from 2000::/3 only; all else is special or nobody's.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// The few parts of 2001::/23 that the registry marks as globally reachable.
fn is_routable_protocol_assignment(segments: [u16; 8]) -> bool {
    matches!(
        segments,
        [0x2001, 1, 0, 0, 0, 0, 0, 1..=3]
            | [0x2001, 3, ..]
            | [0x2001, 4, 0x112, ..]
            | [0x2001, 0x20..=0x3f, ..]
    )
}

fn v4_of(high: u16, low: u16) -> Ipv4Addr {
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    Ipv4Addr::new(a, b, c, d)
}

/// A network as `10.0.0.0/8` or `fd00::/8`; a bare address is a network of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    network: IpAddr,
    prefix: u8,
}

/// Why a text is not a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a network: write it as 10.0.0.0/8, fd00::/8 or a bare address")]
pub struct BadCidr(String);

impl Cidr {
    /// Whether the address lies in this network; an IPv4 address mapped into IPv6 counts as the IPv4 address it is.
    #[must_use]
    pub fn contains(&self, ip: IpAddr) -> bool {
        match (self.network, ip.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(ip)) => {
                let shift = 32 - u32::from(self.prefix);
                u32::from(network).checked_shr(shift) == u32::from(ip).checked_shr(shift)
            }
            (IpAddr::V6(network), IpAddr::V6(ip)) => {
                let shift = 128 - u32::from(self.prefix);
                u128::from(network).checked_shr(shift) == u128::from(ip).checked_shr(shift)
            }
            _ => false,
        }
    }
}

impl FromStr for Cidr {
    type Err = BadCidr;

    fn from_str(text: &str) -> Result<Cidr, BadCidr> {
        let bad = || BadCidr(text.to_owned());
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse::<u8>().map_err(|_| bad())?)),
            None => (text, None),
        };
        let network: IpAddr = address.parse().map_err(|_| bad())?;
        let longest = if network.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(longest);
        if prefix > longest {
            return Err(bad());
        }
        Ok(Cidr { network, prefix })
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.prefix)
    }
}

/// Which addresses may be asked although they are not globally routable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AllowPrivate {
    /// None: the default, and the only safe one for a list that others write.
    #[default]
    None,
    /// All of them.
    All,
    /// Those in these networks.
    Networks(Vec<Cidr>),
}

impl AllowPrivate {
    /// Whether this address may be connected to.
    #[must_use]
    pub fn permits(&self, ip: IpAddr) -> bool {
        match self {
            AllowPrivate::All => true,
            AllowPrivate::None => is_globally_routable(ip),
            AllowPrivate::Networks(networks) => {
                is_globally_routable(ip) || networks.iter().any(|network| network.contains(ip))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routable(text: &str) -> bool {
        is_globally_routable(text.parse().unwrap())
    }

    #[test]
    fn every_special_purpose_block_is_refused_at_both_its_ends() {
        for ends in [
            "0.0.0.0 0.255.255.255",
            "10.0.0.0 10.255.255.255",
            "100.64.0.0 100.127.255.255",
            "127.0.0.0 127.255.255.255",
            "169.254.0.0 169.254.255.255",
            "172.16.0.0 172.31.255.255",
            "192.0.0.0 192.0.0.8 192.0.0.11 192.0.0.170 192.0.0.255",
            "192.0.2.0 192.0.2.255",
            "192.88.99.0 192.88.99.255",
            "192.168.0.0 192.168.255.255",
            "198.18.0.0 198.19.255.255",
            "198.51.100.0 198.51.100.255",
            "203.0.113.0 203.0.113.255",
            "224.0.0.0 239.255.255.255",
            "240.0.0.0 255.255.255.254 255.255.255.255",
            ":: ::1 ::7f00:1 ::8.8.8.8",
            "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254",
            "64:ff9b::7f00:1 64:ff9b::10.1.2.3 64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff 64:ff9b:0:1::8.8.8.8",
            "100:: 100::ffff:ffff:ffff:ffff 100:0:0:1::",
            "2001:: 2001:0:ffff:: 2001:1:: 2001:1::4 2001:2:: 2001:4:113:: 2001:10:: 2001:1f:: 2001:40:: 2001:1ff::",
            "2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "2002:7f00:1:: 2002:a00:1:: 2002:c0a8:101::1 2002:a9fe:a9fe::",
            "3fff:: 3fff:fff:ffff::",
            "5f00:: 5f00:ffff::",
            "fc00:: fdff:ffff::",
            "fe80:: febf:ffff:: fe80::5efe:8.8.8.8",
            "fec0:: feff::",
            "ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "2400::5efe:127.0.0.1 2400::200:5efe:10.0.0.1",
            "4000:: 8000:: 1fff::",
        ] {
            for address in ends.split(' ') {
                assert!(!routable(address), "{address} was let through");
            }
        }
    }

    #[test]
    fn neighbours_of_special_blocks_and_the_registry_s_exceptions_pass() {
        for address in "1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 \
            169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.0.9 192.0.0.10 192.0.1.0 192.0.3.0 \
            192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 \
            198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 192.31.196.1 192.52.193.1 192.175.48.1 \
            ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2001:1::1 2001:1::3 2001:3::1 2001:4:112::1 2001:20::1 2001:3f:: \
            2001:200:: 2001:4860:4860::8888 2001:db9:: 2002:808:808::1 2400::200:5efe:8.8.8.8 2620:4f:8000::1 \
            2a00:1450:4001:80b::200e 3ffe:ffff:: 3fff:1000:: 2606:4700::1111"
            .split_whitespace()
        {
            assert!(routable(address), "{address} was refused");
        }
    }

    #[test]
    fn a_network_contains_its_own_addresses_and_no_others() {
        let net: Cidr = "127.0.0.0/8".parse().unwrap();
        assert!(net.contains("127.9.9.9".parse().unwrap()));
        assert!(net.contains("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!net.contains("128.0.0.0".parse().unwrap()));
        let all: Cidr = "0.0.0.0/0".parse().unwrap();
        assert!(all.contains("10.0.0.1".parse().unwrap()) && !all.contains("fd00::1".parse().unwrap()));
        let six: Cidr = "fd00::/8".parse().unwrap();
        assert!(six.contains("fdff::1".parse().unwrap()) && !six.contains("fc00::1".parse().unwrap()));
        let one: Cidr = "::1".parse().unwrap();
        assert!(one.contains("::1".parse().unwrap()) && !one.contains("::2".parse().unwrap()));
        assert_eq!(one.to_string(), "::1/128");
    }

    #[test]
    fn a_network_that_is_none_is_refused_by_name() {
        for bad in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/-1", "10.0.0.0/8/8", "localhost/8"] {
            let error = bad.parse::<Cidr>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
    }

    #[test]
    fn allowing_a_network_allows_nothing_beside_it() {
        let allow = AllowPrivate::Networks(vec!["127.8.0.0/16".parse().unwrap()]);
        assert!(allow.permits("127.8.1.2".parse().unwrap()));
        assert!(!allow.permits("127.9.0.1".parse().unwrap()));
        assert!(!allow.permits("10.0.0.1".parse().unwrap()));
        assert!(allow.permits("8.8.8.8".parse().unwrap()));
        assert!(AllowPrivate::All.permits("10.0.0.1".parse().unwrap()));
    }
}
