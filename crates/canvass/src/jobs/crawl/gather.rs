//! How do completions from many tasks become one block of the log?
//!
//! Whoever has a completion writes it into the batch that is being filled, so that a page's memory is free at once and
//! no completion is handed from thread to thread. The log's thread takes the whole batch and leaves an empty one.

use std::{
    io,
    sync::{
        Condvar, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use blobs::segment::Batch;
use domain::Completion;
use frontier::schedule::Report;
use tokio::sync::Notify;

use super::verdict::StoredBody;

/// A batch with this many bytes takes no further record: it bounds memory, and what a crash can lose.
const FULL_BYTES: usize = 1 << 20;
/// A batch with this many records takes no further one.
const FULL_RECORDS: usize = 128;
/// A batch with this many records is worth a write at once.
const ENOUGH_RECORDS: usize = 32;
/// How long the first record of a batch waits for company: fewer and larger writes, fewer wake-ups.
const LINGER: Duration = Duration::from_millis(4);

/// What became durable.
#[derive(Debug)]
pub struct Ended {
    /// The target and its disposition; the capture is in the log.
    pub completion: Completion,
    /// The size of the body that was stored.
    pub body_bytes: u64,
    /// What the host's pace learns from it; `None` where no request was sent.
    pub report: Option<Report>,
}

/// The batch that is being filled.
#[derive(Default)]
pub struct Gathering {
    filling: Mutex<Filling>,
    changed: Condvar,
    room: Notify,
    /// How many may add something soon.
    expected: AtomicUsize,
}

/// Says that somebody may add something soon; a batch is not held back for company that cannot come.
pub struct Expected<'a>(&'a Gathering);

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        if self.0.expected.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.changed.notify_one();
        }
    }
}

#[derive(Default)]
struct Filling {
    batch: Batch,
    ended: Vec<Ended>,
    /// The log's thread has nothing to do and waits for the first record.
    idle: bool,
    /// Nobody will add anything any more.
    closed: bool,
    /// Nobody will take anything any more.
    abandoned: bool,
}

impl Filling {
    fn is_full(&self) -> bool {
        self.batch.bytes() >= FULL_BYTES || self.ended.len() >= FULL_RECORDS
    }

    fn is_worth_a_write(&self) -> bool {
        self.closed || self.abandoned || self.ended.len() >= ENOUGH_RECORDS || self.is_full()
    }
}

impl Gathering {
    /// Announces a lease that is carried out until the announcement is dropped.
    pub fn expect_one(&self) -> Expected<'_> {
        self.expected.fetch_add(1, Ordering::Relaxed);
        Expected(self)
    }

    /// Adds a completion; waits while the batch is full.
    pub async fn add(
        &self,
        mut completion: Completion,
        body: StoredBody,
        report: Option<Report>,
    ) -> io::Result<()> {
        loop {
            let room = self.room.notified();
            {
                let mut filling = self.lock();
                if filling.abandoned {
                    return Err(io::Error::other("its thread has ended"));
                }
                if !filling.is_full() {
                    let head = |buffer: &mut Vec<u8>| {
                        serde_json::to_writer(buffer, &completion)
                            .expect("a completion has only plain fields");
                    };
                    filling.batch.push(head, &body.bytes, body.packing)?;
                    // it is in the batch now, and the rest of the way needs only the disposition
                    completion.capture = None;
                    filling.ended.push(Ended { completion, body_bytes: body.bytes.len() as u64, report });
                    let wake = filling.idle || filling.ended.len() == ENOUGH_RECORDS || filling.is_full();
                    // not before: whoever is woken would at once have to wait for the lock
                    drop(filling);
                    if wake {
                        self.changed.notify_one();
                    }
                    return Ok(());
                }
            }
            room.await;
        }
    }

    /// Says that nothing more will be added.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Says that nothing more will be taken.
    pub fn abandon(&self) {
        self.lock().abandoned = true;
        self.room.notify_waiters();
    }

    /// Takes what was gathered into `batch`, which is empty, when it is worth a write or `patience` is over; what comes
    /// back may be nothing. `None` when there is nothing and never will be.
    pub fn take(&self, batch: &mut Batch, patience: Duration) -> Option<Vec<Ended>> {
        let mut now = Instant::now();
        let patience_ends = now + patience;
        let mut linger_ends = now + LINGER;
        let mut filling = self.lock();
        while !filling.is_worth_a_write() && now < patience_ends {
            let anything = !filling.ended.is_empty();
            if anything && (now >= linger_ends || self.expected.load(Ordering::Relaxed) == 0) {
                break;
            }
            filling.idle = !anything && now >= linger_ends;
            let until = if filling.idle { patience_ends } else { linger_ends.min(patience_ends) };
            let was_idle = filling.idle;
            filling = match self.changed.wait_timeout(filling, until - now) {
                Ok((filling, _)) => filling,
                Err(poisoned) => abandoned(poisoned.into_inner().0),
            };
            now = Instant::now();
            if was_idle {
                linger_ends = now + LINGER;
            }
        }
        filling.idle = false;
        if filling.abandoned || (filling.closed && filling.ended.is_empty()) {
            return None;
        }
        std::mem::swap(&mut filling.batch, batch);
        let ended = std::mem::replace(&mut filling.ended, Vec::with_capacity(2 * ENOUGH_RECORDS));
        drop(filling);
        self.room.notify_waiters();
        Some(ended)
    }

    fn lock(&self) -> MutexGuard<'_, Filling> {
        self.filling.lock().unwrap_or_else(|poisoned| abandoned(poisoned.into_inner()))
    }
}

/// Whoever panicked may have left half a record, and half a record must not reach the log.
fn abandoned(mut filling: MutexGuard<'_, Filling>) -> MutexGuard<'_, Filling> {
    filling.abandoned = true;
    filling
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use blobs::segment::Packing;
    use bytes::Bytes;
    use domain::{Disposition, Moment, Target};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    fn completion(place: u64) -> Completion {
        Completion {
            target: Target {
                place,
                line: place + 1,
                key: place.to_string(),
                url: "https://a.example/".into(),
            },
            disposition: Disposition::Captured,
            requests: 1,
            ended_at: Moment(0),
            capture: None,
        }
    }

    fn body(bytes: usize) -> StoredBody {
        StoredBody { bytes: Bytes::from(vec![7; bytes]), packing: Packing::Store, _place: None }
    }

    fn places(ended: &[Ended]) -> Vec<u64> {
        ended.iter().map(|one| one.completion.target.place).collect()
    }

    async fn full_with_one_who_waits() -> (Arc<Gathering>, tokio::task::JoinHandle<io::Result<()>>) {
        let gathering = Arc::new(Gathering::default());
        gathering.add(completion(0), body(2 << 20), None).await.unwrap();
        let adding = tokio::spawn({
            let gathering = Arc::clone(&gathering);
            async move { gathering.add(completion(1), body(10), None).await }
        });
        tokio::task::yield_now().await;
        (gathering, adding)
    }

    #[tokio::test]
    async fn what_is_added_is_taken_once_and_in_order() {
        let gathering = Gathering::default();
        for place in 0..3 {
            gathering.add(completion(place), body(10), None).await.unwrap();
        }
        let mut batch = Batch::default();
        assert_eq!(places(&gathering.take(&mut batch, PATIENCE).unwrap()), [0, 1, 2]);
        assert_eq!(batch.records(), 3);
        gathering.close();
        assert!(gathering.take(&mut Batch::default(), PATIENCE).is_none());
    }

    #[tokio::test]
    async fn what_was_added_before_the_end_is_still_taken() {
        let gathering = Gathering::default();
        gathering.add(completion(0), body(10), None).await.unwrap();
        gathering.close();
        assert_eq!(gathering.take(&mut Batch::default(), PATIENCE).unwrap().len(), 1);
        assert!(gathering.take(&mut Batch::default(), PATIENCE).is_none());
    }

    #[tokio::test]
    async fn a_full_batch_takes_no_more_until_it_is_taken() {
        let (gathering, adding) = full_with_one_who_waits().await;
        assert!(!adding.is_finished());
        assert_eq!(places(&gathering.take(&mut Batch::default(), PATIENCE).unwrap()), [0]);
        adding.await.unwrap().unwrap();
        assert_eq!(places(&gathering.take(&mut Batch::default(), PATIENCE).unwrap()), [1]);
    }

    #[tokio::test]
    async fn whoever_waits_for_room_hears_that_nobody_takes_any_more() {
        let (gathering, adding) = full_with_one_who_waits().await;
        gathering.abandon();
        assert!(adding.await.unwrap().is_err());
        assert!(gathering.add(completion(2), body(10), None).await.is_err());
    }

    #[test]
    fn a_batch_that_somebody_panicked_on_never_reaches_the_log() {
        let gathering = Arc::new(Gathering::default());
        let held = Arc::clone(&gathering);
        let panicked = thread::spawn(move || {
            let _filling = held.filling.lock().unwrap();
            panic!("a record that cannot be written");
        });
        assert!(panicked.join().is_err());
        assert!(gathering.take(&mut Batch::default(), PATIENCE).is_none());
    }

    #[tokio::test]
    async fn a_taker_that_waits_is_woken_by_a_record_by_the_last_expected_and_by_the_end() {
        let gathering = Arc::new(Gathering::default());
        let taker = thread::spawn({
            let gathering = Arc::clone(&gathering);
            move || {
                let mut batches = Vec::new();
                while let Some(ended) = gathering.take(&mut Batch::default(), PATIENCE) {
                    batches.push(ended.len());
                }
                batches
            }
        });
        let expected = gathering.expect_one();
        gathering.add(completion(0), body(10), None).await.unwrap();
        drop(expected);
        gathering.add(completion(1), body(10), None).await.unwrap();
        gathering.close();
        assert_eq!(taker.join().unwrap().iter().sum::<usize>(), 2);
    }
}
