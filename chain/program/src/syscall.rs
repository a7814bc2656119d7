//! The runtime's calls, each behind a safe function.
#![allow(unsafe_code)]

use crate::account::Account;
use crate::bytes::Key;
use crate::error::{Error, Result, require};

/// A borrowed byte string as the runtime reads it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Slice {
    at: *const u8,
    length: u64,
}

impl Slice {
    #[inline(always)]
    pub fn of(bytes: &[u8]) -> Self {
        Self { at: bytes.as_ptr(), length: bytes.len() as u64 }
    }
}

#[repr(C)]
struct Seeds {
    at: *const Slice,
    length: u64,
}

#[repr(C)]
struct Meta {
    key: *const u8,
    is_writable: bool,
    is_signer: bool,
}

#[repr(C)]
struct Instruction {
    program: *const u8,
    metas: *const Meta,
    metas_length: u64,
    data: *const u8,
    data_length: u64,
}

#[repr(C)]
pub struct AccountInfo {
    pub key: *const u8,
    pub lamports: *mut u64,
    pub data_len: u64,
    pub data: *mut u8,
    pub owner: *const u8,
    pub rent_epoch: u64,
    pub is_signer: bool,
    pub is_writable: bool,
    pub executable: bool,
}

#[repr(C)]
#[derive(Default)]
pub struct Clock {
    pub slot: u64,
    pub epoch_start: i64,
    pub epoch: u64,
    pub leader_schedule_epoch: u64,
    pub unix_timestamp: i64,
}

unsafe extern "C" {
    fn abort() -> !;
    fn sol_sha256(parts: *const Slice, count: u64, out: *mut u8) -> u64;
    fn sol_get_clock_sysvar(out: *mut Clock) -> u64;
    fn sol_get_rent_sysvar(out: *mut u64) -> u64;
    fn sol_try_find_program_address(
        seeds: *const Slice,
        count: u64,
        program: *const u8,
        out: *mut u8,
        bump: *mut u8,
    ) -> u64;
    fn sol_invoke_signed_c(
        instruction: *const Instruction,
        accounts: *const AccountInfo,
        accounts_count: u64,
        signers: *const Seeds,
        signers_count: u64,
    ) -> u64;
    fn sol_curve_validate_point(curve: u64, point: *const u8, out: *mut u8) -> u64;
    fn sol_curve_group_op(
        curve: u64,
        operation: u64,
        left: *const u8,
        right: *const u8,
        out: *mut u8,
    ) -> u64;
}

const EDWARDS: u64 = 0;
const ADD: u64 = 0;
const MULTIPLY: u64 = 2;

/// Stops the program. The linker refuses it: what calls it must be unreachable.
pub fn never() -> ! {
    // SAFETY: it does not return.
    unsafe { abort() }
}

pub fn sha256(parts: &[Slice]) -> Key {
    let mut out = [0; 32];
    // SAFETY: `parts` borrow what they point to; `out` has the room of a digest.
    unsafe { sol_sha256(parts.as_ptr(), parts.len() as u64, out.as_mut_ptr()) };
    out
}

pub fn clock() -> Result<Clock> {
    let mut clock = Clock::default();
    // SAFETY: the layout is the sysvar's.
    require(unsafe { sol_get_clock_sysvar(&mut clock) } == 0, Error::Corrupt)?;
    Ok(clock)
}

/// Lamports a byte and year, and the bits of the exemption's years as f64.
pub fn rent() -> Result<[u64; 2]> {
    let mut rent = [0u64; 3];
    // SAFETY: the sysvar is 17 bytes, in 24.
    require(unsafe { sol_get_rent_sysvar(rent.as_mut_ptr()) } == 0, Error::Corrupt)?;
    Ok([rent[0], rent[1]])
}

/// The address of `seeds` and its bump seed, the highest that is off the curve.
pub fn find_program_address(seeds: &[Slice; 3], program: &Key) -> Result<(Key, u8)> {
    let mut key = [0; 32];
    let mut bump = 0;
    // SAFETY: `seeds` borrow what they point to; the outputs have their room.
    let code = unsafe {
        let (out, bump) = (key.as_mut_ptr(), &raw mut bump);
        sol_try_find_program_address(seeds.as_ptr(), 3, program.as_ptr(), out, bump)
    };
    require(code == 0, Error::Corrupt)?;
    Ok((key, bump))
}

/// A call of the system program for an account at a program address, which signs by its seeds.
pub struct SystemCall<'a> {
    pub payer: &'a Account,
    pub account: &'a Account,
    pub system: &'a Account,
    pub seeds: [Slice; 4],
}

impl SystemCall<'_> {
    /// On the account alone.
    pub fn on_account(&self, data: &[u8]) -> Result<()> {
        self.invoke(data, &[self.meta(true)])
    }

    /// On payer and account.
    pub fn with_payer(&self, data: &[u8], account_signs: bool) -> Result<()> {
        let payer = Meta { key: self.payer.key().as_ptr(), is_writable: true, is_signer: true };
        self.invoke(data, &[payer, self.meta(account_signs)])
    }

    fn meta(&self, is_signer: bool) -> Meta {
        Meta { key: self.account.key().as_ptr(), is_writable: true, is_signer }
    }

    fn invoke(&self, data: &[u8], metas: &[Meta]) -> Result<()> {
        let instruction = Instruction {
            program: self.system.key().as_ptr(),
            metas: metas.as_ptr(),
            metas_length: metas.len() as u64,
            data: data.as_ptr(),
            data_length: data.len() as u64,
        };
        let infos = [self.payer.info(), self.account.info(), self.system.info()];
        let signers = Seeds { at: self.seeds.as_ptr(), length: 4 };
        // SAFETY: everything outlives the call; the runtime checks what it is given.
        let code = unsafe { sol_invoke_signed_c(&instruction, infos.as_ptr(), 3, &signers, 1) };
        require(code == 0, Error::Corrupt)
    }
}

/// Whether the 32 bytes decompress to a point of the Edwards curve.
pub fn is_point(point: &Key) -> bool {
    // SAFETY: 32 bytes are read, nothing is written.
    unsafe { sol_curve_validate_point(EDWARDS, point.as_ptr(), core::ptr::null_mut()) == 0 }
}

/// `scalar * point`, or `None` where one of them is none.
pub fn multiply(scalar: &Key, point: &Key) -> Option<Key> {
    group_op(MULTIPLY, scalar, point)
}

/// `left + right`, or `None` where one of them is no point.
pub fn add(left: &Key, right: &Key) -> Option<Key> {
    group_op(ADD, left, right)
}

fn group_op(operation: u64, left: &Key, right: &Key) -> Option<Key> {
    let mut out = [0; 32];
    // SAFETY: 32 bytes each.
    let code = unsafe {
        sol_curve_group_op(EDWARDS, operation, left.as_ptr(), right.as_ptr(), out.as_mut_ptr())
    };
    if code == 0 { Some(out) } else { None }
}
