//! The memory budget of the reset caches of a process: ends of resets and no-op starts.
//!
//! Games that start in many ways would otherwise add to it for days, and a hundred of them at once even more.
//! What is refused is run again, so nothing but speed depends on this.

use std::sync::atomic::{AtomicUsize, Ordering};

/// One budget for the process: a single environment may use all of it.
pub(super) static CACHES: Budget = Budget::new(16 << 20);

/// Bytes to be shared.
pub(super) struct Budget {
    limit: usize,
    used: AtomicUsize,
}

/// Bytes that were granted; they are given back when this is dropped.
pub(super) struct Claim {
    budget: &'static Budget,
    bytes: usize,
}

impl Budget {
    pub(super) const fn new(limit: usize) -> Self {
        Self { limit, used: AtomicUsize::new(0) }
    }

    /// Grants bytes if they are left.
    pub(super) fn claim(&'static self, bytes: usize) -> Option<Claim> {
        let grant = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.limit);
        let granted = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grant).is_ok();
        granted.then(|| Claim { budget: self, bytes })
    }

    /// Grants bytes even if none are left.
    pub(super) fn insist(&'static self, bytes: usize) -> Claim {
        self.used.fetch_add(bytes, Ordering::Relaxed);
        Claim { budget: self, bytes }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_limit_is_granted() {
        static BUDGET: Budget = Budget::new(100);
        let first = BUDGET.claim(60).expect("there is enough");
        assert!(BUDGET.claim(41).is_none() && BUDGET.claim(usize::MAX).is_none());
        let second = BUDGET.claim(40).expect("there is enough");
        assert!(BUDGET.claim(1).is_none());
        let more = BUDGET.insist(30);
        drop(first);
        assert!(BUDGET.claim(31).is_none(), "70 are in use");
        drop((second, more));
        assert!(BUDGET.claim(100).is_some());
        assert_eq!(BUDGET.used.load(Ordering::Relaxed), 0);
    }
}
