//! How is a body read and decoded without ever holding more than was agreed?

use std::sync::Arc;

use bytes::Bytes;
use domain::{Failure, FailureKind};
use http::{HeaderMap, Version, header};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Duration, Instant, timeout_at},
};

use crate::{
    ContentEncoding,
    decode::{BadEncoding, Codings, Decoded, StreamDecoder, lend_decoded, lend_wire, take_for_wire},
    failure::{self, Framing},
};

/// A body over this, on the wire or decoded, needs one of the few places for large bodies.
const SMALL_BODY_BYTES: usize = 512 * 1024;
/// Decoding up to this much takes less time than handing it to another thread and back is worth.
const INLINE_WIRE_BYTES: usize = 64 * 1024;
/// A large body is decoded in pieces of this size while it comes in.
const PIECE_BYTES: usize = 128 * 1024;

/// What a body may cost.
pub(crate) struct BodyRules {
    pub(crate) limit: usize,
    pub(crate) idle_timeout: Duration,
    pub(crate) deadline: Instant,
    pub(crate) large_places: Arc<Semaphore>,
}

/// A body within its limits.
#[derive(Default)]
pub(crate) struct ReadBody {
    /// The bytes as they came, or decoded where they cannot be stored as they came.
    pub(crate) wire: Bytes,
    pub(crate) wire_encoding: ContentEncoding,
    pub(crate) decoded: Bytes,
    /// Whether it was cut: then the connection still holds the rest and is of no more use.
    pub(crate) truncated: bool,
    /// The place that a large body takes until its bytes are dropped.
    pub(crate) place: Option<OwnedSemaphorePermit>,
}

impl ReadBody {
    fn plain(bytes: Bytes) -> ReadBody {
        ReadBody { wire: bytes.clone(), decoded: bytes, ..ReadBody::default() }
    }

    fn cut(decoded: Vec<u8>) -> ReadBody {
        ReadBody { decoded: decoded.into(), truncated: true, ..ReadBody::default() }
    }

    fn of(decoded: Decoded, wire: impl Into<Bytes>, codings: &Codings) -> ReadBody {
        match codings.single() {
            _ if !decoded.complete => ReadBody::cut(decoded.bytes),
            Some(coding) => ReadBody {
                wire: wire.into(),
                wire_encoding: coding,
                decoded: lend_decoded(decoded.bytes),
                ..ReadBody::default()
            },
            None => ReadBody::plain(decoded.bytes.into()),
        }
    }
}

/// Reads a body to its end or to its limit.
pub(crate) async fn read(
    mut incoming: Incoming,
    headers: &HeaderMap,
    version: Version,
    rules: &BodyRules,
) -> Result<ReadBody, Failure> {
    let codings =
        Codings::from_headers(headers.get_all(header::CONTENT_ENCODING).iter().map(|value| value.as_bytes()));
    let framing = framing_of(headers, version);
    let mut wire = Gathered::sized_for(&incoming, rules.limit);
    let small = SMALL_BODY_BYTES.min(rules.limit);
    while let Some(data) = next_data(&mut incoming, framing, rules).await? {
        wire.push(data);
        if wire.len() > small {
            let codings = codings.map_err(failure_of)?.believed_for(wire.as_slice());
            return read_large(incoming, framing, wire.into_vec(), codings, rules).await;
        }
    }
    // An empty body is whole in any coding, even in one that nobody knows.
    if wire.len() == 0 {
        return Ok(ReadBody::default());
    }
    let wire = wire.into_bytes();
    decode_small(&wire, codings.map_err(failure_of)?.believed_for(&wire), rules).await
}

async fn decode_small(wire: &Bytes, codings: Codings, rules: &BodyRules) -> Result<ReadBody, Failure> {
    if codings.is_identity() {
        return Ok(ReadBody::plain(wire.clone()));
    }
    if let Some(bytes) = decode_if_small(wire, &codings, SMALL_BODY_BYTES.min(rules.limit)).await? {
        return Ok(ReadBody::of(Decoded { bytes, complete: true }, wire.clone(), &codings));
    }
    let place = take_place(rules).await?;
    let decoded = decode_elsewhere(wire, &codings, rules.limit).await?;
    Ok(ReadBody { place: Some(place), ..ReadBody::of(decoded, wire.clone(), &codings) })
}

/// Goes on with a body that turned out to be large; an encoded one is decoded as it comes, so that a bomb is noticed
/// long before its wire bytes are all here.
async fn read_large(
    mut incoming: Incoming,
    framing: Framing,
    mut wire: Vec<u8>,
    codings: Codings,
    rules: &BodyRules,
) -> Result<ReadBody, Failure> {
    let place = Some(take_place(rules).await?);
    let mut decoder =
        if codings.is_identity() { None } else { Some(codings.stream(rules.limit).map_err(failure_of)?) };
    let mut decoded_up_to = 0;
    // A declared length saves the doubling; it is only believed up to the limit, and unused room costs no memory.
    let declared = usize::try_from(incoming.size_hint().lower()).unwrap_or(usize::MAX);
    wire.reserve_exact(declared.min(rules.limit.saturating_sub(wire.len())));
    loop {
        if wire.len() > rules.limit {
            wire.truncate(rules.limit);
            let prefix = match decoder {
                Some(decoder) => push_elsewhere(decoder, wire, decoded_up_to).await?.0.into_prefix().bytes,
                None => wire,
            };
            return Ok(ReadBody { place, ..ReadBody::cut(prefix) });
        }
        if wire.len() - decoded_up_to >= PIECE_BYTES
            && let Some(waiting) = decoder.take()
        {
            let pushed;
            (pushed, wire) = push_elsewhere(waiting, wire, decoded_up_to).await?;
            if pushed.overflowed() {
                return Ok(ReadBody { place, ..ReadBody::cut(pushed.into_prefix().bytes) });
            }
            decoder = Some(pushed);
            decoded_up_to = wire.len();
        }
        let Some(data) = next_data(&mut incoming, framing, rules).await? else { break };
        wire.extend_from_slice(&data);
    }
    let Some(decoder) = decoder else {
        return Ok(ReadBody { place, ..ReadBody::plain(wire.into()) });
    };
    let (decoder, wire) = push_elsewhere(decoder, wire, decoded_up_to).await?;
    let decoded = decoder.finish().map_err(failure_of)?;
    Ok(ReadBody { place, ..ReadBody::of(decoded, wire, &codings) })
}

async fn next_data(
    incoming: &mut Incoming,
    framing: Framing,
    rules: &BodyRules,
) -> Result<Option<Bytes>, Failure> {
    while !incoming.is_end_stream() {
        let until = rules.deadline.min(Instant::now() + rules.idle_timeout);
        let frame = timeout_at(until, incoming.frame())
            .await
            .map_err(|_| Failure::new(FailureKind::BodyTimeout, "the body did not go on in time"))?;
        match frame {
            None => return Ok(None),
            Some(Err(error)) => return failure::of_body(&error, framing).map_or(Ok(None), Err),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
    Ok(None)
}

fn framing_of(headers: &HeaderMap, version: Version) -> Framing {
    if headers.contains_key(header::TRANSFER_ENCODING) {
        Framing::Chunked
    } else if headers.contains_key(header::CONTENT_LENGTH) {
        Framing::Length
    } else if version == Version::HTTP_2 {
        Framing::Chunked
    } else {
        Framing::UntilClose
    }
}

async fn take_place(rules: &BodyRules) -> Result<OwnedSemaphorePermit, Failure> {
    let waiting = Arc::clone(&rules.large_places).acquire_owned();
    timeout_at(rules.deadline, waiting)
        .await
        .map_err(|_| Failure::new(FailureKind::BodyTimeout, "no room for another large body in time"))
        .map(|place| place.expect("the places are never closed"))
}

async fn decode_if_small(wire: &Bytes, codings: &Codings, limit: usize) -> Result<Option<Vec<u8>>, Failure> {
    if wire.len() <= INLINE_WIRE_BYTES {
        return Ok(codings.decode_if_small(wire, limit));
    }
    let (wire, codings) = (wire.clone(), codings.clone());
    off_the_async_threads(move || Ok(codings.decode_if_small(&wire, limit))).await
}

async fn decode_elsewhere(wire: &Bytes, codings: &Codings, limit: usize) -> Result<Decoded, Failure> {
    let (wire, codings) = (wire.clone(), codings.clone());
    off_the_async_threads(move || codings.decode(&wire, limit)).await
}

/// Gives the bytes from `from` on to the decoder, and both back.
async fn push_elsewhere(
    mut decoder: StreamDecoder,
    wire: Vec<u8>,
    from: usize,
) -> Result<(StreamDecoder, Vec<u8>), Failure> {
    off_the_async_threads(move || {
        decoder.push(&wire[from..])?;
        Ok((decoder, wire))
    })
    .await
}

async fn off_the_async_threads<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BadEncoding> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result.map_err(failure_of),
        Err(_) => Err(Failure::new(FailureKind::BadEncoding, "decoding was stopped")),
    }
}

fn failure_of(error: BadEncoding) -> Failure {
    Failure::new(FailureKind::BadEncoding, error.to_string())
}

/// The wire bytes so far; a body that came in one piece is never copied.
enum Gathered {
    Nothing { expected: usize },
    One(Bytes, usize),
    Many(Vec<u8>),
}

impl Gathered {
    fn sized_for(incoming: &Incoming, limit: usize) -> Gathered {
        let declared = incoming.size_hint().exact().and_then(|size| usize::try_from(size).ok());
        Gathered::Nothing { expected: declared.unwrap_or(0).min(limit).min(SMALL_BODY_BYTES) }
    }

    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn as_slice(&self) -> &[u8] {
        match self {
            Gathered::Nothing { .. } => &[],
            Gathered::One(bytes, _) => bytes,
            Gathered::Many(bytes) => bytes,
        }
    }

    fn push(&mut self, data: Bytes) {
        match self {
            Gathered::Nothing { expected } => *self = Gathered::One(data, *expected),
            Gathered::One(first, expected) => {
                let mut bytes = take_for_wire((first.len() + data.len()).max(*expected));
                bytes.extend_from_slice(first);
                bytes.extend_from_slice(&data);
                *self = Gathered::Many(bytes);
            }
            Gathered::Many(bytes) => bytes.extend_from_slice(&data),
        }
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Gathered::Nothing { .. } => Bytes::new(),
            Gathered::One(bytes, _) => bytes,
            Gathered::Many(bytes) => lend_wire(bytes),
        }
    }

    fn into_vec(self) -> Vec<u8> {
        match self {
            Gathered::Nothing { .. } => Vec::new(),
            Gathered::One(bytes, _) => bytes.into(),
            Gathered::Many(bytes) => bytes,
        }
    }
}
