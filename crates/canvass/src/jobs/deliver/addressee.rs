//! Where does a delivery go, and as whom?

use std::time::Duration;

use anyhow::{Context, Result, bail};
use blobs::store::{Keys, Location, Retry, Role, S3Options, Store, WallClock};
use domain::{Moment, RoundId};

use crate::{
    clock::Clock,
    settings::{Delivery, Destination, Network},
};

/// How long borrowed keys last; they are renewed before.
const SESSION: Duration = Duration::from_secs(3600);

/// A destination that is ready to be written to.
pub struct Addressee {
    /// Its name in the settings.
    pub name: String,
    /// The place itself.
    pub store: Store,
    /// The folder of this delivery in it, without slashes at its ends; may be empty.
    pub folder: String,
    /// Which files it gets.
    pub files: Vec<String>,
}

/// What a path of the settings is filled with.
#[derive(Debug, Clone)]
pub struct Occasion<'a> {
    /// The round.
    pub round: &'a RoundId,
    /// When it began.
    pub begun_at: Moment,
    /// The month that is told of.
    pub month: &'a str,
}

impl Addressee {
    /// Opens a destination; nothing is asked of it yet.
    pub fn open(
        (name, destination): (String, Destination),
        delivery: &Delivery,
        network: &Network,
        occasion: &Occasion<'_>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Addressee> {
        let folder = occasion.fill(destination.path.as_deref().unwrap_or(&delivery.path));
        let location: Location = destination.url.parse()?;
        let options = s3_options(&destination, delivery, network, env);
        if matches!(location, Location::S3 { .. }) && options.keys.is_none() {
            bail!(
                "there are no keys for `{name}`, and nobody writes to {location} without: set AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY in the environment, or `access_key_id` and `secret_access_key` in \
                 `delivery.destinations.{name}`"
            );
        }
        let store = Store::open(location, options)
            .with_context(|| format!("cannot deliver to `{name}` (`delivery.destinations.{name}`)"))?;
        Ok(Addressee { name, store, folder, files: destination.files })
    }

    /// The key of a file of this delivery.
    #[must_use]
    pub fn key(&self, name: &str) -> String {
        if self.folder.is_empty() { name.to_owned() } else { format!("{}/{name}", self.folder) }
    }
}

impl Occasion<'_> {
    /// The path with the round's date: the one that its id begins with, else the day on which it began (UTC).
    fn fill(&self, path: &str) -> String {
        let begun = self.begun_at.timestamp().to_zoned(jiff::tz::TimeZone::UTC).date();
        let named = self.round.as_str().get(..10).and_then(|text| text.parse().ok());
        let date: jiff::civil::Date = named.unwrap_or(begun);
        let filled = path
            .replace("{YYYY}", &format!("{:04}", date.year()))
            .replace("{MM}", &format!("{:02}", date.month()))
            .replace("{DD}", &format!("{:02}", date.day()))
            .replace("{round}", self.round.as_str())
            .replace("{month}", self.month);
        let names: Vec<&str> = filled.split('/').filter(|name| !name.is_empty()).collect();
        names.join("/")
    }
}

fn s3_options(
    destination: &Destination,
    delivery: &Delivery,
    network: &Network,
    env: &dyn Fn(&str) -> Option<String>,
) -> S3Options {
    let Destination {
        url: _,
        files: _,
        path: _,
        acl,
        region,
        endpoint_url,
        path_style,
        access_key_id,
        secret_access_key,
        role_arn,
        external_id,
        session_name,
        sts_endpoint_url,
    } = destination;
    let env = |name: &str| env(name).filter(|value| !value.is_empty());
    let region = region.clone().or_else(|| env("AWS_REGION")).or_else(|| env("AWS_DEFAULT_REGION"));
    let own_id = access_key_id.clone().filter(|id| !id.is_empty());
    let own_secret = secret_access_key.as_ref().filter(|secret| !secret.expose().is_empty());
    let keys = match own_id.zip(own_secret) {
        Some((access_key_id, secret)) => {
            Some(Keys { access_key_id, secret_access_key: secret.expose().to_owned(), session_token: None })
        }
        // one half of them with a half of the environment's would be nobody's
        None if access_key_id.is_some() || secret_access_key.is_some() => None,
        None => env("AWS_ACCESS_KEY_ID").zip(env("AWS_SECRET_ACCESS_KEY")).map(|(id, secret)| Keys {
            access_key_id: id,
            secret_access_key: secret,
            session_token: env("AWS_SESSION_TOKEN"),
        }),
    };
    let endpoint = |own: &Option<String>, service: &str| {
        own.clone().or_else(|| env(service)).or_else(|| env("AWS_ENDPOINT_URL"))
    };
    let role = role_arn.clone().map(|arn| Role {
        arn,
        external_id: external_id.clone(),
        session_name: session_name.clone(),
        endpoint_url: endpoint(sts_endpoint_url, "AWS_ENDPOINT_URL_STS"),
        duration: SESSION,
    });
    let Delivery { attempts, first_wait_seconds, max_wait_seconds, timeout_seconds, part_bytes, .. } =
        delivery;
    let defaults = S3Options::new(WallClock::new(Clock::unpretended));
    S3Options {
        region: region.unwrap_or(defaults.region),
        endpoint_url: endpoint(endpoint_url, "AWS_ENDPOINT_URL_S3"),
        path_style: *path_style,
        keys,
        role,
        acl: acl.clone().filter(|acl| !acl.is_empty()),
        part_bytes: *part_bytes,
        parts_at_once: defaults.parts_at_once,
        patience: timeout_seconds.duration(),
        retry: Retry {
            attempts: *attempts,
            first_wait: first_wait_seconds.duration(),
            max_wait: max_wait_seconds.duration(),
        },
        extra_ca_file: network.extra_ca_file.clone(),
        clock: defaults.clock,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_date_that_the_round_is_named_for_or_began_on() {
        let begun_at: Moment = "2026-12-31T23:59:59Z".parse::<jiff::Timestamp>().unwrap().into();
        for (round, path, expected) in [
            ("2026-11-10-monthly", "{YYYY}/{MM}/{DD}", "2026/11/10"),
            ("may", "{YYYY}/{MM}/{DD}", "2026/12/31"),
            ("2026-13-40-x", "{YYYY}{MM}{DD}", "20261231"),
            ("may", "/in//{round}/{month}/", "in/may/2026-11"),
            ("may", "", ""),
        ] {
            let round: RoundId = round.parse().unwrap();
            let occasion = Occasion { round: &round, begun_at, month: "2026-11" };
            assert_eq!(occasion.fill(path), expected, "{round} {path}");
        }
    }

    #[test]
    fn keys_come_from_the_settings_or_else_from_the_environment() {
        let env = |name: &str| match name {
            "AWS_ACCESS_KEY_ID" => Some("ENVID".to_owned()),
            "AWS_SECRET_ACCESS_KEY" => Some("env-secret".to_owned()),
            "AWS_SESSION_TOKEN" => Some("env-token".to_owned()),
            "AWS_REGION" => Some("eu-west-1".to_owned()),
            "AWS_ENDPOINT_URL" => Some("http://127.0.0.1:9".to_owned()),
            _ => None,
        };
        let (delivery, network) = (Delivery::default(), Network::default());
        let of = |destination: &Destination| s3_options(destination, &delivery, &network, &env);
        let given = of(&Destination::default());
        let keys = given.keys.unwrap();
        assert_eq!(
            (keys.access_key_id.as_str(), keys.session_token.as_deref()),
            ("ENVID", Some("env-token"))
        );
        assert_eq!(
            (given.region.as_str(), given.endpoint_url.as_deref()),
            ("eu-west-1", Some("http://127.0.0.1:9"))
        );
        let own = Destination {
            access_key_id: Some("OWNID".to_owned()),
            secret_access_key: serde_json::from_str("\"own\"").unwrap(),
            region: Some("us-west-2".to_owned()),
            ..Destination::default()
        };
        let half = Destination { access_key_id: Some(String::new()), ..own.clone() };
        assert!(of(&half).keys.is_none());
        let given = of(&own);
        let keys = given.keys.unwrap();
        // a session's token belongs to the keys that it came with
        assert_eq!((keys.access_key_id.as_str(), keys.session_token), ("OWNID", None));
        assert_eq!(given.region, "us-west-2");
    }

    #[test]
    fn a_bucket_is_never_written_to_without_whole_keys() {
        let round: RoundId = "may".parse().unwrap();
        let occasion = Occasion { round: &round, begun_at: Moment(0), month: "2026-11" };
        let (delivery, network) = (Delivery::default(), Network::default());
        for given in [&[][..], &["AWS_ACCESS_KEY_ID"], &["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]] {
            let env = |name: &str| given.contains(&name).then(|| "x".to_owned());
            let open = |url: &str| {
                let destination = Destination { url: url.to_owned(), ..Destination::default() };
                Addressee::open(("drop".to_owned(), destination), &delivery, &network, &occasion, &env)
            };
            let Err(error) = open("s3://drop/in") else { panic!("{given:?} are no keys") };
            let told = error.to_string();
            for key in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "delivery.destinations.drop"] {
                assert!(told.contains(key), "{told}");
            }
            assert!(open("folder").is_ok());
        }
    }
}
