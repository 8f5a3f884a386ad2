//! Where are findings delivered?

use std::collections::BTreeMap;

use blobs::store::Location;

use super::{Seconds, Secret, section};

/// What may stand in a path between braces.
pub const PLACEHOLDERS: [&str; 5] = ["YYYY", "MM", "DD", "round", "month"];

section! {
    /// Where findings are delivered.
    Delivery {
        /// The places that a delivery goes to, under names of your own.
        destinations: BTreeMap<String, Destination> = BTreeMap::new(),
        /// The partner's bucket, as `s3://NAME/PREFIX`: short for `destinations.partner.url`.
        partner_bucket: Option<String> = None,
        /// The data lake's bucket, as `s3://NAME/PREFIX`: short for `destinations.data_lake.url`.
        data_lake_bucket: Option<String> = None,
        /// The role that is assumed to write to `partner_bucket`.
        assume_role_arn: Option<String> = None,
        /// The id by which the owner of `assume_role_arn` knows us.
        assume_role_external_id: Option<String> = None,
        /// The canned ACL of what is written to a bucket, so that its owner owns it; empty: none is sent.
        acl: String = "bucket-owner-full-control".to_owned(),
        /// The folder of a delivery below its destination, with the date of the round; `{round}` and `{month}` may also stand there.
        path: String = "{YYYY}/{MM}/{DD}".to_owned(),
        /// How often a request to a bucket is tried.
        #[schemars(range(min = 1, max = 20))]
        attempts: u32 = 6,
        /// The wait before the second attempt; it doubles each time.
        first_wait_seconds: Seconds = Seconds(0.5),
        /// No wait is longer than this.
        max_wait_seconds: Seconds = Seconds(20.0),
        /// The longest that a request may take, besides the time for its bytes.
        #[schemars(range(min = 0.1))]
        timeout_seconds: Seconds = Seconds(60.0),
        /// A longer file is uploaded in parts of this length.
        #[schemars(range(min = 5242880, max = 5368709120u64))]
        part_bytes: u64 = 16_777_216,
    }
}

section! {
    /// A place that a delivery goes to.
    Destination {
        /// A bucket as `s3://NAME/PREFIX`, or a folder.
        url: String = String::new(),
        /// Which files of the export it gets; `*` stands for any characters.
        files: Vec<String> = vec!["*".to_owned()],
        /// Its own `delivery.path`.
        path: Option<String> = None,
        /// Its own `delivery.acl`.
        acl: Option<String> = None,
        /// The region of the bucket; not set: `AWS_REGION`, or `us-east-1`.
        region: Option<String> = None,
        /// A server of its own, as `https://HOST`; not set: `AWS_ENDPOINT_URL`, or Amazon's.
        endpoint_url: Option<String> = None,
        /// Whether the bucket's name is in the path and not in the host's name; not set: with an endpoint of its own it is.
        path_style: Option<bool> = None,
        /// The access key; not set: `AWS_ACCESS_KEY_ID`.
        access_key_id: Option<String> = None,
        /// The secret key, best as `${NAME}`; not set: `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
        secret_access_key: Option<Secret> = None,
        /// The role that is assumed with those keys.
        role_arn: Option<String> = None,
        /// The id by which the owner of the role knows us.
        external_id: Option<String> = None,
        /// What the logs of the role's owner call our session.
        session_name: String = "canvass".to_owned(),
        /// The server that lends the role's keys; not set: `AWS_ENDPOINT_URL`, or Amazon's of the region.
        sts_endpoint_url: Option<String> = None,
    }
}

impl Delivery {
    /// Every destination by its name, the short forms written out and the defaults filled in.
    #[must_use]
    pub fn resolved(&self) -> BTreeMap<String, Destination> {
        let mut all = self.destinations.clone();
        let partner_role = (self.assume_role_arn.clone(), self.assume_role_external_id.clone());
        for (name, bucket, (role_arn, external_id)) in [
            ("partner", &self.partner_bucket, partner_role),
            ("data_lake", &self.data_lake_bucket, (None, None)),
        ] {
            if let Some(url) = bucket {
                let destination =
                    Destination { url: url.clone(), role_arn, external_id, ..Destination::default() };
                all.insert(name.to_owned(), destination);
            }
        }
        for destination in all.values_mut() {
            destination.path.get_or_insert_with(|| self.path.clone());
            destination.acl.get_or_insert_with(|| self.acl.clone());
        }
        all
    }

    /// Tells what is wrong beyond the limits of single values, as the rest of a sentence about the first key.
    pub(super) fn check(&self, tell: &mut dyn FnMut(&[&str], String)) {
        let Delivery { destinations, partner_bucket, data_lake_bucket, acl, path, .. } = self;
        let Delivery { assume_role_arn, assume_role_external_id, .. } = self;
        for (name, short, key) in [
            ("partner", partner_bucket, "delivery.partner_bucket"),
            ("data_lake", data_lake_bucket, "delivery.data_lake_bucket"),
        ] {
            let Some(url) = short else { continue };
            if destinations.contains_key(name) {
                let long = format!("delivery.destinations.{name}");
                tell(&[key, &long], format!("and `{long}` say the same twice: remove one"));
            }
            if url.contains("://") {
                check_url(url, key, tell);
            } else {
                let message = "must begin with `s3://`; a folder stands in `delivery.destinations`";
                tell(&[key], message.to_owned());
            }
        }
        if assume_role_external_id.is_some() && assume_role_arn.is_none() {
            let message = "is told when a role is assumed: give `delivery.assume_role_arn`";
            tell(&["delivery.assume_role_external_id"], message.to_owned());
        }
        if assume_role_arn.is_some() && partner_bucket.is_none() {
            let message = "is for `delivery.partner_bucket`; a destination has its own `role_arn`";
            tell(&["delivery.assume_role_arn"], message.to_owned());
        }
        check_path(path, "delivery.path", tell);
        check_acl(acl, "delivery.acl", tell);
        let Delivery { first_wait_seconds, max_wait_seconds, .. } = self;
        if first_wait_seconds > max_wait_seconds {
            let message = format!("must not exceed `max_wait_seconds`, which is {}", max_wait_seconds.0);
            tell(&["delivery.first_wait_seconds", "delivery.max_wait_seconds"], message);
        }
        for (name, destination) in destinations {
            check_destination(name, destination, tell);
        }
    }
}

fn check_destination(name: &str, destination: &Destination, tell: &mut dyn FnMut(&[&str], String)) {
    let Destination {
        url, files, path, acl, access_key_id, secret_access_key, role_arn, external_id, ..
    } = destination;
    let key = |of: &str| format!("delivery.destinations.{name}.{of}");
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !(1..=64).contains(&name.len()) || !name.chars().all(plain) {
        let key = format!("delivery.destinations.{name}");
        tell(&[&key], "must be named with 1 to 64 letters, digits, `-` and `_`".to_owned());
    }
    check_url(url, &key("url"), tell);
    if !url.contains("://") {
        for (of, is_given) in [
            ("role_arn", role_arn.is_some()),
            ("access_key_id", access_key_id.is_some()),
            ("secret_access_key", secret_access_key.is_some()),
        ] {
            if is_given {
                let message =
                    format!("is for a bucket, but `{}` is a folder: write `s3://NAME/PREFIX`", key("url"));
                tell(&[&key(of)], message);
            }
        }
    }
    if files.is_empty() {
        tell(&[&key("files")], "must name a file, or `*` for all".to_owned());
    }
    if let Some(path) = path {
        check_path(path, &key("path"), tell);
    }
    if let Some(acl) = acl {
        check_acl(acl, &key("acl"), tell);
    }
    if access_key_id.is_some() != secret_access_key.is_some() {
        let keys = [key("access_key_id"), key("secret_access_key")];
        tell(&keys.each_ref().map(String::as_str), "goes together with `secret_access_key`".to_owned());
    }
    if external_id.is_some() && role_arn.is_none() {
        tell(&[&key("external_id")], "is told when a role is assumed: give its `role_arn`".to_owned());
    }
}

fn check_url(url: &str, key: &str, tell: &mut dyn FnMut(&[&str], String)) {
    if let Err(error) = url.parse::<Location>() {
        tell(&[key], format!("cannot be used: {error}"));
    }
}

fn check_acl(acl: &str, key: &str, tell: &mut dyn FnMut(&[&str], String)) {
    if !acl.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
        tell(&[key], "must be a canned ACL such as `bucket-owner-full-control`, or empty".to_owned());
    }
}

fn check_path(path: &str, key: &str, tell: &mut dyn FnMut(&[&str], String)) {
    let mut plain = path.to_owned();
    for name in PLACEHOLDERS {
        plain = plain.replace(&format!("{{{name}}}"), "x");
    }
    if plain.contains(['{', '}']) {
        let known = PLACEHOLDERS.map(|name| format!("`{{{name}}}`")).join(", ");
        tell(&[key], format!("has something between braces that is none of {known}"));
    } else if plain.split('/').any(|name| matches!(name, "." | "..") || name.contains(char::is_control)) {
        tell(&[key], "must not have `.` or `..` in it".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn load(yaml: &str) -> Result<Delivery, String> {
        let none = |_: &str| None;
        match Settings::from_yaml(yaml, "canvass.yaml", &none) {
            Ok(loaded) => Ok(loaded.settings.delivery),
            Err(problems) => Err(problems.to_string()),
        }
    }

    #[test]
    fn the_short_keys_are_destinations_like_any_other() {
        let delivery = load(
            "delivery:\n  partner_bucket: s3://partner/in\n  data_lake_bucket: s3://lake\n  \
             assume_role_arn: arn:aws:iam::1:role/drop\n  assume_role_external_id: us\n  path: '{YYYY}-{MM}'\n  \
             destinations:\n    archive: {url: /srv/drop, path: '{round}', acl: ''}\n",
        )
        .unwrap();
        assert_eq!(delivery.resolved()["partner"].external_id.as_deref(), Some("us"));
        let shown: Vec<_> = delivery
            .resolved()
            .into_iter()
            .map(|(name, to)| (name, to.url, to.path.unwrap(), to.acl.unwrap(), to.role_arn))
            .collect();
        let row = |name: &str, url: &str, path: &str, acl: &str, role: Option<&str>| {
            (name.to_owned(), url.to_owned(), path.to_owned(), acl.to_owned(), role.map(str::to_owned))
        };
        let (own, role) = ("bucket-owner-full-control", Some("arn:aws:iam::1:role/drop"));
        let expected = [
            row("archive", "/srv/drop", "{round}", "", None),
            row("data_lake", "s3://lake", "{YYYY}-{MM}", own, None),
            row("partner", "s3://partner/in", "{YYYY}-{MM}", own, role),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_cannot_be_delivered_to_is_told_before_anything_is_sent() {
        for (yaml, told) in [
            ("{destinations: {a: {}}}", "delivery.destinations.a.url"),
            ("{destinations: {a: {url: 'gs://x'}}}", "endpoint_url"),
            ("{destinations: {'a b': {url: x}}}", "must be named with"),
            ("{destinations: {a: {url: x, path: '{YEAR}'}}}", "`{YYYY}`"),
            ("{destinations: {a: {url: x, path: 'a/../b'}}}", "`..`"),
            ("{destinations: {a: {url: 's3://abc', access_key_id: me}}}", "goes together"),
            ("{destinations: {a: {url: x, access_key_id: me, secret_access_key: y}}}", "is a folder"),
            ("{destinations: {a: {url: x, role_arn: me}}}", "is a folder"),
            ("{partner_bucket: acme-drop}", "must begin with `s3://`"),
            ("{data_lake_bucket: /srv/lake}", "must begin with `s3://`"),
            ("{partner_bucket: 's3://abc', assume_role_external_id: x}", "delivery.assume_role_arn"),
            ("{destinations: {a: {url: x, external_id: me}}}", "role_arn"),
            ("{destinations: {a: {url: x, files: []}}}", "must name a file"),
            ("{destinations: {partner: {url: x}}, partner_bucket: 's3://abc'}", "say the same twice"),
            ("{assume_role_arn: x}", "delivery.partner_bucket"),
            ("{acl: 'Public Read'}", "canned ACL"),
            ("{first_wait_seconds: 30}", "max_wait_seconds"),
        ] {
            let problems = load(&format!("delivery: {yaml}\n")).unwrap_err();
            assert!(problems.contains(told), "{yaml}: {problems}");
        }
    }

    #[test]
    fn a_secret_key_is_never_shown() {
        let delivery = load(
            "delivery: {destinations: {a: {url: 's3://abc', access_key_id: AKID, secret_access_key: hunter2}}}\n",
        )
        .unwrap();
        let shown = format!("{delivery:?} {}", serde_json::to_string(&delivery).unwrap());
        assert!(shown.contains("AKID") && !shown.contains("hunter2"), "{shown}");
    }
}
