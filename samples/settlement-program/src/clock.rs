//! The chain's clock.

/// Unix seconds.
#[allow(unsafe_code)]
pub fn now() -> i64 {
    unsafe extern "C" {
        fn sol_get_clock_sysvar(out: *mut [i64; 5]) -> u64;
    }
    let mut clock = [0; 5];
    // SAFETY: the sysvar is five words. The call fails only where they are not writable.
    unsafe { sol_get_clock_sysvar(&mut clock) };
    let [_slot, _epoch_start, _epoch, _leader_epoch, seconds] = clock;
    seconds
}
