//! Which capture tells what its site's robots.txt says?
//!
//! What a site runs shows in its robots.txt too, and a round must be readable again from its segments alone. So the
//! first capture of an origin carries the text; here it waits for that capture.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

/// What is kept of one robots.txt: what tells a product stands in its first lines.
const MAX_TEXT_BYTES: usize = 16 << 10;
/// What all that wait may take; the one that has waited longest goes first.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// Robots.txt answers that no capture has carried yet.
#[derive(Debug, Default)]
pub struct RobotsNotes(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    by_origin: HashMap<String, String>,
    /// In the order in which they came; those that were taken are passed over.
    order: VecDeque<String>,
    bytes: usize,
}

impl RobotsNotes {
    /// Keeps the text of an origin's robots.txt for its next capture.
    pub fn note(&self, origin: &str, body: &[u8]) {
        let text = String::from_utf8_lossy(&body[..body.len().min(MAX_TEXT_BYTES)]);
        if text.trim().is_empty() {
            return;
        }
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.remove(origin);
        waiting.bytes += text.len();
        waiting.by_origin.insert(origin.to_owned(), text.into_owned());
        waiting.order.push_back(origin.to_owned());
        while waiting.bytes > MAX_WAITING_BYTES
            && let Some(oldest) = waiting.order.pop_front()
        {
            waiting.remove(&oldest);
        }
        let Waiting { by_origin, order, .. } = &mut *waiting;
        if order.len() > 2 * by_origin.len() + 64 {
            order.retain(|origin| by_origin.contains_key(origin));
        }
    }

    /// The text that the next capture of an origin carries; the one after it carries none.
    pub fn take(&self, origin: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(origin)
    }
}

impl Waiting {
    fn remove(&mut self, origin: &str) -> Option<String> {
        let text = self.by_origin.remove(origin)?;
        self.bytes -= text.len();
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_carried_once() {
        let notes = RobotsNotes::default();
        notes.note("https://a.example", b"User-agent: *\nDisallow: /wp-admin/");
        assert_eq!(notes.take("https://b.example"), None);
        assert_eq!(notes.take("https://a.example").unwrap(), "User-agent: *\nDisallow: /wp-admin/");
        assert_eq!(notes.take("https://a.example"), None);
    }

    #[test]
    fn however_many_wait_memory_is_bounded_and_the_newest_stay() {
        let notes = RobotsNotes::default();
        for number in 0..1_000 {
            notes.note(&format!("https://{number}.example"), &[b'x'; 100_000]);
        }
        let waiting = notes.0.lock().unwrap();
        assert!(waiting.bytes <= MAX_WAITING_BYTES);
        assert!(waiting.by_origin.contains_key("https://999.example"));
        assert!(!waiting.by_origin.contains_key("https://0.example"));
    }

    #[test]
    fn the_order_of_those_that_were_taken_does_not_grow() {
        let notes = RobotsNotes::default();
        for number in 0..10_000 {
            let origin = format!("https://{number}.example");
            notes.note(&origin, b"User-agent: *");
            notes.take(&origin);
        }
        assert!(notes.0.lock().unwrap().order.len() < 100);
    }
}
