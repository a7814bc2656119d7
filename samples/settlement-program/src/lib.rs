//! A market that two parties settle on the final of an Assay feed: an example of reading one on chain,
//! with no call of another program. README.md has its accounts and instructions.
//!
//! Overflow checks are on, and the linker refuses a call of `abort`: a program from which a panic can
//! be reached does not link. Unsafe code stands in `clock`, `input` and this file alone.
#![no_std]
#![deny(unsafe_code)]

mod clock;
mod error;
#[path = "../../venue/rust/final_value.rs"]
mod final_value;
mod input;
mod instruction;
mod market;

/// # Safety
/// The loader calls it with the serialized input of one instruction.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn entrypoint(input: *mut u8) -> u64 {
    // SAFETY: the loader's word.
    match unsafe { input::parse(input) }.and_then(instruction::run) {
        Ok(()) => 0,
        Err(error) => error as u64,
    }
}

#[panic_handler]
#[allow(unsafe_code)]
fn panic(_: &core::panic::PanicInfo) -> ! {
    unsafe extern "C" {
        fn abort() -> !;
    }
    // SAFETY: it does not return; the linker refuses a program that can get here.
    unsafe { abort() }
}
