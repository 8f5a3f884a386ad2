//! How does a request prove who sent it?

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{
        PayloadChecksumKind, PercentEncodingMode, SignableBody, SignableRequest, SigningSettings,
        UriPathNormalizationMode, sign,
    },
    sign::v4::SigningParams,
};
use http::Request;

use crate::store::{ErrorKind, Keys, StoreError};

/// Signs a request (SigV4) with every header that it has by now; `payload` is the SHA-256 of its body in hexadecimal digits.
pub(super) fn sign_request<B>(
    request: &mut Request<B>,
    keys: &Keys,
    (service, region): (&str, &str),
    payload: &str,
    now: SystemTime,
) -> Result<(), StoreError> {
    let Keys { access_key_id, secret_access_key, session_token } = keys;
    let identity =
        Credentials::new(access_key_id, secret_access_key, session_token.clone(), None, "canvass").into();
    let mut settings = SigningSettings::default();
    if service == "s3" {
        // S3 alone takes the path as it is, and wants the body's hash as a header
        settings.percent_encoding_mode = PercentEncodingMode::Single;
        settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;
        settings.payload_checksum_kind = PayloadChecksumKind::XAmzSha256;
    }
    let parameters = SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name(service)
        .time(now)
        .settings(settings)
        .build()
        .map_err(unsignable)?
        .into();
    let uri = request.uri().to_string();
    let mut headers = Vec::with_capacity(request.headers().len());
    for (name, value) in request.headers() {
        headers.push((name.as_str(), value.to_str().map_err(unsignable)?));
    }
    let signable = SignableRequest::new(
        request.method().as_str(),
        uri.as_str(),
        headers.into_iter(),
        SignableBody::Precomputed(payload.to_owned()),
    )
    .map_err(unsignable)?;
    let (instructions, _) = sign(signable, &parameters).map_err(unsignable)?.into_parts();
    instructions.apply_to_request_http1x(request);
    Ok(())
}

fn unsignable(error: impl std::error::Error) -> StoreError {
    StoreError::new(ErrorKind::Configuration, format!("a request could not be signed: {error}"))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    /// The example "GET object" of Amazon's documentation of Signature Version 4 for S3, with its published result.
    #[test]
    fn a_signature_is_the_one_that_amazon_published() {
        let keys = Keys {
            access_key_id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
            session_token: None,
        };
        let mut request = Request::get("https://examplebucket.s3.amazonaws.com/test.txt")
            .header("host", "examplebucket.s3.amazonaws.com")
            .header("range", "bytes=0-9")
            .body(())
            .unwrap();
        let of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        // 2013-05-24T00:00:00Z
        let now = UNIX_EPOCH + Duration::from_secs(1_369_353_600);
        sign_request(&mut request, &keys, ("s3", "us-east-1"), of_nothing, now).unwrap();
        let signed = request.headers()["authorization"].to_str().unwrap();
        assert_eq!(
            signed.replace(", ", ","),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
             SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,\
             Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
    }

    #[test]
    fn an_acl_and_a_session_are_part_of_what_is_signed() {
        let keys = Keys {
            access_key_id: "A".to_owned(),
            secret_access_key: "B".to_owned(),
            session_token: Some("C".to_owned()),
        };
        let mut request = Request::put("http://h/drop/k")
            .header("x-amz-acl", "bucket-owner-full-control")
            .header("if-none-match", "*")
            .body(())
            .unwrap();
        sign_request(&mut request, &keys, ("s3", "x"), "00", UNIX_EPOCH).unwrap();
        let signed = request.headers()["authorization"].to_str().unwrap();
        assert!(
            signed.contains("SignedHeaders=host;if-none-match;x-amz-acl;x-amz-content-sha256;x-amz-date;x-amz-security-token"),
            "{signed}"
        );
    }
}
