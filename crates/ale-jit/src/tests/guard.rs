//! An allocator for these tests: memory that code may touch lies between two pages that nothing may touch.
//!
//! States, the ROM, the table of entry points: each is an allocation of its own. A read or write beyond it ends the test
//! with a fault, where canaries would only tell of writes. What is smaller than a page touches the page before it or the
//! one behind it: see [`lean`].

#![allow(unsafe_code, reason = "an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

const PAGE: usize = 4096;
/// Smaller pieces are those of the test runner.
const LEAST: usize = 512;

struct Guarded;

#[global_allocator]
static GUARDED: Guarded = Guarded;

static AT_BEGIN: AtomicBool = AtomicBool::new(false);

/// From now on memory begins right behind its first guard page, or ends right before its second one.
pub(super) fn lean(at_begin: bool) {
    AT_BEGIN.store(at_begin, Ordering::Relaxed);
}

fn is_guarded(layout: Layout) -> bool {
    layout.size() >= LEAST && layout.align() <= PAGE
}

/// Bytes between the guard pages.
fn between(layout: Layout) -> usize {
    layout.size().next_multiple_of(PAGE)
}

// SAFETY: `alloc` gives fresh pages of a mapping of its own, as many as the layout needs, at a place that its alignment
// divides; `dealloc` finds the begin of that mapping again, since the place is in the first page between the guards.
unsafe impl GlobalAlloc for Guarded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_guarded(layout) {
            return unsafe { System.alloc(layout) };
        }
        let len = between(layout);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let whole = unsafe { libc::mmap(null_mut(), len + 2 * PAGE, libc::PROT_NONE, flags, -1, 0) };
        if whole == libc::MAP_FAILED {
            return null_mut();
        }
        let first = unsafe { whole.cast::<u8>().add(PAGE) };
        if unsafe { libc::mprotect(first.cast(), len, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return null_mut();
        }
        let free = (len - layout.size()) / layout.align() * layout.align();
        unsafe { first.add(if AT_BEGIN.load(Ordering::Relaxed) { 0 } else { free }) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if !is_guarded(layout) {
            return unsafe { System.dealloc(place, layout) };
        }
        let whole = unsafe { place.sub(place as usize % PAGE + PAGE) };
        unsafe { libc::munmap(whole.cast(), between(layout) + 2 * PAGE) };
    }
}

#[test]
fn there_are_pages_that_nothing_may_touch() {
    let maps = || std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for at_begin in [false, true] {
        lean(at_begin);
        let bytes = vec![1_u8; 5000];
        let [begin, end] = [bytes.as_ptr() as usize, bytes.as_ptr() as usize + bytes.len()];
        let page = |at: usize| at / PAGE * PAGE;
        let protection = |at: usize| {
            maps().lines().find_map(|line| {
                let (range, rest) = line.split_once(' ')?;
                let (from, to) = range.split_once('-')?;
                let [from, to] = [from, to].map(|text| usize::from_str_radix(text, 16).unwrap_or(0));
                (from..to).contains(&at).then(|| rest[..4].to_owned())
            })
        };
        if maps().is_empty() {
            return;
        }
        assert_eq!(protection(begin).as_deref(), Some("rw-p"));
        assert_eq!(protection(page(begin) - 1).as_deref(), Some("---p"), "before");
        assert_eq!(protection(page(end - 1) + PAGE).as_deref(), Some("---p"), "behind");
        assert_eq!(if at_begin { begin % PAGE } else { end % PAGE }, 0, "it leans on a guard page");
    }
}
