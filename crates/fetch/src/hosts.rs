//! Which names have fixed addresses?
//!
//! One `ADDRESS NAME [FROM=TO …]` a line, `#` starts a comment. `FROM=TO` sends a URL's port to another port of that
//! address, so that thousands of made-up sites with ports 80 and 443 can be served by an unprivileged process:
//!
//! ```text
//! 127.8.1.2  shop-1.test  80=18080 443=18443
//! ::1        shop-2.test
//! ```

use std::{
    collections::HashMap,
    fs,
    net::{IpAddr, SocketAddr},
    path::Path,
};

use crate::SetupError;

/// Names and their fixed addresses, as a file lists them.
#[derive(Debug, Clone, Default)]
pub struct HostsFile {
    by_name: HashMap<Box<str>, Vec<Entry>>,
}

#[derive(Debug, Clone)]
struct Entry {
    address: IpAddr,
    ports: Box<[(u16, u16)]>,
}

impl HostsFile {
    /// Reads the file.
    ///
    /// # Errors
    /// Names the file, and the line where one makes no sense.
    pub fn read(path: &Path) -> Result<HostsFile, SetupError> {
        let text = fs::read_to_string(path)
            .map_err(|source| SetupError::Unreadable { path: path.to_owned(), source })?;
        HostsFile::parse(&text).map_err(|(line, reason)| SetupError::BadHostsLine {
            path: path.to_owned(),
            line,
            reason,
        })
    }

    fn parse(text: &str) -> Result<HostsFile, (usize, String)> {
        let mut by_name: HashMap<Box<str>, Vec<Entry>> = HashMap::new();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            if line.trim().is_empty() {
                continue;
            }
            let (name, entry) = parse_line(line).map_err(|reason| (index + 1, reason))?;
            by_name.entry(name).or_default().push(entry);
        }
        Ok(HostsFile { by_name })
    }

    /// Where a URL with this host and port leads, or nothing where the file does not list the host.
    pub(crate) fn look_up(&self, host: &str, port: u16) -> Option<Vec<SocketAddr>> {
        let entries = self.by_name.get(host.strip_suffix('.').unwrap_or(host))?;
        Some(entries.iter().map(|entry| SocketAddr::new(entry.address, entry.real_port(port))).collect())
    }
}

impl Entry {
    fn real_port(&self, port: u16) -> u16 {
        self.ports.iter().find(|(from, _)| *from == port).map_or(port, |(_, to)| *to)
    }
}

fn parse_line(line: &str) -> Result<(Box<str>, Entry), String> {
    let mut words = line.split_whitespace();
    let address = words.next().unwrap_or_default();
    let address = address.parse().map_err(|_| format!("`{address}` is not an IP address"))?;
    let name = words.next().ok_or("a name is missing after the address")?;
    let host = match url::Host::parse(name) {
        Ok(url::Host::Domain(host)) => host,
        _ => return Err(format!("`{name}` is not a host name")),
    };
    let ports = words.map(parse_port_pair).collect::<Result<_, _>>()?;
    let host = host.strip_suffix('.').unwrap_or(&host);
    Ok((host.into(), Entry { address, ports }))
}

fn parse_port_pair(word: &str) -> Result<(u16, u16), String> {
    let pair = word.split_once('=').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    pair.filter(|(from, to)| *from != 0 && *to != 0)
        .ok_or_else(|| format!("`{word}` does not map one port to another"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_their_addresses_and_mapped_ports() {
        let hosts = HostsFile::parse(
            "\u{feff}# the sandbox\r\n\
             127.8.1.2 shop-1.test 80=18080 443=18443 # a shop\r\n\
             \n\
             127.8.1.3 Shop-1.TEST\n\
             ::1\tmünchen.test\t80=1\n",
        )
        .unwrap();
        let text = |host, port| {
            let found = hosts.look_up(host, port)?;
            Some(found.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(text("shop-1.test", 80).as_deref(), Some("127.8.1.2:18080 127.8.1.3:80"));
        assert_eq!(text("shop-1.test.", 443).as_deref(), Some("127.8.1.2:18443 127.8.1.3:443"));
        assert_eq!(text("shop-1.test", 8080).as_deref(), Some("127.8.1.2:8080 127.8.1.3:8080"));
        assert_eq!(text("xn--mnchen-3ya.test", 80).as_deref(), Some("[::1]:1"));
        assert_eq!(text("shop-2.test", 80), None);
    }

    #[test]
    fn a_line_that_makes_no_sense_is_named() {
        for (text, line, word) in [
            ("127.0.0.1", 1, "missing"),
            ("\n# x\nlocalhost a.test", 3, "`localhost`"),
            ("127.0.0.1 a.test 80", 1, "`80`"),
            ("127.0.0.1 a.test 80=", 1, "`80=`"),
            ("127.0.0.1 a.test 80=70000", 1, "`80=70000`"),
            ("127.0.0.1 a.test 0=1", 1, "`0=1`"),
            ("127.0.0.1 10.0.0.1", 1, "`10.0.0.1`"),
            ("127.0.0.1 a.test\n127.0.0.1 a/b", 2, "`a/b`"),
        ] {
            let (at, reason) = HostsFile::parse(text).unwrap_err();
            assert_eq!(at, line, "{text}");
            assert!(reason.contains(word), "{reason}");
        }
    }

    #[test]
    fn an_error_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hosts.txt");
        let missing = HostsFile::read(&path).unwrap_err().to_string();
        assert!(missing.contains("hosts.txt"), "{missing}");
        fs::write(&path, "127.0.0.1 a.test\nx\n").unwrap();
        let bad = HostsFile::read(&path).unwrap_err().to_string();
        assert!(bad.contains("hosts.txt, line 2: `x` is not an IP address"), "{bad}");
    }
}
