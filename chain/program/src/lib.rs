//! The on-chain feed of Assay. Every byte is described in docs/spec/chain.md.
//!
//! Overflow checks are on, and the linker refuses a call of `abort`: a program from which a panic can
//! be reached does not link. Unsafe code stands in `account`, `entry`, `syscall` and this file alone.
#![no_std]
#![deny(unsafe_code)]

mod account;
mod bytes;
mod clock;
mod close_account;
mod close_message;
mod entry;
mod error;
mod feed;
mod instruction;
mod key;
mod ordinal;
mod page;
mod print;
mod program_address;
mod record;
mod signers;
mod syscall;
mod system;
mod ticker;

/// # Safety
/// The loader calls it with the serialized input of one instruction.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn entrypoint(input: *mut u8) -> u64 {
    // SAFETY: the loader's word.
    let result = unsafe { entry::parse(input) }.and_then(instruction::run);
    match result {
        Ok(()) => 0,
        Err(error) => error.code(),
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    syscall::never()
}
