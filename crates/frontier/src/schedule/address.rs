//! How many requests may be under way to one address, whatever names lead to it?

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::Moment;

/// Counts requests per address. Shared by the frontier, which knows most hosts' addresses, and the fetch tasks, which
/// learn them.
#[derive(Debug)]
pub struct AddressGate(Mutex<Addresses>);

#[derive(Debug)]
struct Addresses {
    cap: usize,
    gap: Duration,
    traffic: HashMap<IpAddr, Traffic>,
}

#[derive(Debug, Default)]
struct Traffic {
    under_way: usize,
    next_allowed_at: Moment,
}

/// The map is swept when it has grown to this many addresses.
const SWEEP_AT: usize = 4_096;

impl AddressGate {
    /// At most `cap` requests at once and one per `gap` to each address; a cap of zero means no limit.
    #[must_use]
    pub fn new(cap: usize, gap: Duration) -> AddressGate {
        AddressGate(Mutex::new(Addresses { cap, gap, traffic: HashMap::new() }))
    }

    /// Takes new limits; what is under way stays.
    pub fn set_limits(&self, cap: usize, gap: Duration) {
        let mut addresses = self.lock();
        (addresses.cap, addresses.gap) = (cap, gap);
    }

    /// Reserves a request to an address; false if it has enough.
    #[must_use]
    pub fn try_enter(&self, address: IpAddr, now: Moment) -> bool {
        let mut addresses = self.lock();
        let Addresses { cap, gap, traffic } = &mut *addresses;
        if *cap == 0 {
            return true;
        }
        if traffic.len() >= SWEEP_AT {
            traffic.retain(|_, known| known.under_way > 0 || known.next_allowed_at > now);
        }
        let known = traffic.entry(address).or_default();
        if known.under_way >= *cap || now < known.next_allowed_at {
            return false;
        }
        known.under_way += 1;
        known.next_allowed_at = now.after(*gap);
        true
    }

    /// Ends a request that was reserved.
    pub fn leave(&self, address: IpAddr) {
        if let Some(known) = self.lock().traffic.get_mut(&address) {
            known.under_way = known.under_way.saturating_sub(1);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Addresses> {
        // the map is counters: a panic elsewhere leaves it whole
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_and_the_gap_hold_for_each_address() {
        let gate = AddressGate::new(2, Duration::from_millis(100));
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        assert!(gate.try_enter(one, Moment(0)));
        assert!(!gate.try_enter(one, Moment(99)), "the gap");
        assert!(gate.try_enter(other, Moment(99)));
        assert!(gate.try_enter(one, Moment(100)));
        assert!(!gate.try_enter(one, Moment(900)), "the cap");
        gate.leave(one);
        assert!(gate.try_enter(one, Moment(900)));
    }
}
