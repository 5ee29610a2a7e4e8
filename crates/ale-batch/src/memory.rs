//! Whether the system has the memory that a batch will need.
//!
//! A refusal in the middle of a step would end the process, and so would the system's out-of-memory killer; here it is an
//! error, before anything is built.

use ale_sim::Error;

/// Checks that so many bytes can be had. Nothing is kept.
///
/// # Errors
/// [`Error::Memory`] when the system refuses them or has fewer free.
pub fn check(num_envs: usize, bytes: usize) -> Result<(), Error> {
    let free = free_bytes();
    let refused = Vec::<u8>::new().try_reserve_exact(bytes).is_err();
    if !refused && free.is_none_or(|free| bytes as u64 <= free) {
        return Ok(());
    }
    let megabytes = bytes / 1_000_000;
    let reason = match free {
        Some(free) if !refused => format!("and {} MB are free", free / 1_000_000),
        _ => "which the system refuses".to_owned(),
    };
    Err(Error::Memory(format!(
        "{num_envs} environments need about {megabytes} MB of memory, {reason}; \
         accepted: fewer environments, smaller observations, or a higher limit"
    )))
}

/// Bytes that the machine and the control group of this process can still give, where the system tells (Linux).
fn free_bytes() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| free_of_meminfo(&text));
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let limit = number("/sys/fs/cgroup/memory.max");
    let group = limit.map(|limit| limit.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    machine.into_iter().chain(group).min()
}

/// `MemAvailable` and `SwapFree` of a `/proc/meminfo`, in bytes.
fn free_of_meminfo(text: &str) -> Option<u64> {
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    let kilobytes = field("MemAvailable")?.saturating_add(field("SwapFree").unwrap_or(0));
    Some(kilobytes.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_available_and_the_free_swap_add_up() {
        let text = "MemTotal:  16 kB\nMemAvailable:     10 kB\nSwapTotal: 4 kB\nSwapFree:   2 kB\n";
        assert_eq!(free_of_meminfo(text), Some(12 * 1024));
        assert_eq!(free_of_meminfo("MemAvailable: 10 kB\n"), Some(10 * 1024));
        assert_eq!(free_of_meminfo("MemTotal: 10 kB\n"), None);
    }

    #[test]
    fn impossible_amounts_are_refused_and_small_ones_are_not() {
        for bytes in [usize::MAX, usize::MAX / 2, 1 << 50] {
            assert!(matches!(check(1, bytes), Err(Error::Memory(_))), "{bytes}");
        }
        assert_eq!(check(1, 1000), Ok(()));
    }
}
