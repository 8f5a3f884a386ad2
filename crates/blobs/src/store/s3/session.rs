//! With which keys is a request signed now?

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use http::{Method, header::CONTENT_TYPE};
use tokio::sync::Mutex;

use super::{
    address::Address,
    payload::Payload,
    transport::{Ask, Signer, Transport},
    xml::text_of,
};
use crate::store::{ErrorKind, Keys, Role, S3Options, StoreError};

/// Borrowed keys are renewed this long before they end.
const RENEW_BEFORE_END: Duration = Duration::from_secs(300);
/// The longest answer of STS that is read.
const MAX_ANSWER_BYTES: usize = 256 * 1024;

/// Hands out keys: the fixed ones, or those of an assumed role while they last.
#[derive(Debug, Clone)]
pub(super) struct Session {
    keys: Option<Keys>,
    role: Option<Arc<Assumed>>,
}

#[derive(Debug)]
struct Assumed {
    role: Role,
    address: Address,
    region: String,
    transport: Transport,
    current: Mutex<Option<(Keys, SystemTime)>>,
}

impl Session {
    pub(super) fn new(options: &S3Options, transport: &Transport) -> Result<Session, StoreError> {
        let S3Options { keys, role, region, .. } = options;
        let role = match role {
            None => None,
            Some(_) if keys.is_none() => {
                let message = "a role is assumed with keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
                return Err(StoreError::new(ErrorKind::Configuration, message));
            }
            Some(role) => Some(Arc::new(Assumed {
                role: role.clone(),
                address: Address::of_sts(region, role.endpoint_url.as_deref())?,
                region: region.clone(),
                transport: transport.clone(),
                current: Mutex::new(None),
            })),
        };
        Ok(Session { keys: keys.clone(), role })
    }
}

impl Signer for Session {
    async fn keys(&self) -> Result<Option<Keys>, StoreError> {
        let (Some(assumed), Some(own)) = (&self.role, &self.keys) else { return Ok(self.keys.clone()) };
        // held while asking, so that of many requests at once one asks
        let mut current = assumed.current.lock().await;
        if let Some((keys, end)) = &*current
            && assumed.transport.now() + RENEW_BEFORE_END < *end
        {
            return Ok(Some(keys.clone()));
        }
        let (keys, end) = assumed.assume(own).await?;
        *current = Some((keys.clone(), end));
        Ok(Some(keys))
    }

    async fn forget(&self) -> bool {
        match &self.role {
            Some(assumed) => assumed.current.lock().await.take().is_some(),
            None => false,
        }
    }
}

impl Assumed {
    async fn assume(&self, own: &Keys) -> Result<(Keys, SystemTime), StoreError> {
        let arn = &self.role.arn;
        let ask = Ask {
            what: format!("assuming the role {arn}"),
            method: Method::POST,
            uri: self.address.uri("", &[])?,
            headers: vec![(CONTENT_TYPE, "application/x-www-form-urlencoded".to_owned())],
            payload: Payload::Bytes(form_of(&self.role).into()),
        };
        let answer = self.transport.send(&ask, ("sts", &self.region), own).await?;
        let body = answer.read(MAX_ANSWER_BYTES).await?;
        let field = |name: &str| {
            text_of(&body, name)?.ok_or_else(|| {
                StoreError::new(
                    ErrorKind::Protocol,
                    format!("assuming the role {arn}: no {name} in the answer"),
                )
            })
        };
        let end: jiff::Timestamp = field("Expiration")?.parse().map_err(|_| {
            StoreError::new(ErrorKind::Protocol, format!("assuming the role {arn}: no time in Expiration"))
        })?;
        let keys = Keys {
            access_key_id: field("AccessKeyId")?,
            secret_access_key: field("SecretAccessKey")?,
            session_token: Some(field("SessionToken")?),
        };
        tracing::info!(role = %arn, until = %end, "assumed a role");
        Ok((keys, end.into()))
    }
}

fn form_of(role: &Role) -> String {
    let Role { arn, external_id, session_name, endpoint_url: _, duration } = role;
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("Action", "AssumeRole")
        .append_pair("Version", "2011-06-15")
        .append_pair("RoleArn", arn)
        .append_pair("RoleSessionName", session_name)
        .append_pair("DurationSeconds", &duration.as_secs().to_string());
    if let Some(id) = external_id {
        form.append_pair("ExternalId", id);
    }
    form.finish()
}
