//! The input of one instruction, as loader v3 lays it out:
//!
//! ```text
//!     8  number of accounts u64
//!        each account: 0xff and its fields (see `account`), 10,240 bytes to grow, padding to 8, rent
//!        epoch u64; or the index of the one that it repeats and 7 bytes
//!     8  length of the data u64
//!     n  data
//!    32  program id
//! ```
#![allow(unsafe_code)]

use crate::account::{Account, DATA_AT};
use crate::bytes::Key;
use crate::error::{Error, Result, require};

/// The most that an instruction of this program takes.
const MAX_ACCOUNTS: usize = 5;
/// What the loader leaves behind an account's data for it to grow.
const GROWTH: usize = 10_240;

pub struct Input {
    pub accounts: Accounts,
    pub data: &'static [u8],
    pub program: &'static Key,
}

pub struct Accounts {
    bases: [*mut u8; MAX_ACCOUNTS],
    count: usize,
}

impl Accounts {
    /// The accounts, when there are `N`.
    #[inline(always)]
    pub fn take<const N: usize>(self) -> Result<[Account; N]> {
        require(self.count == N, Error::Accounts)?;
        let bases = self.bases.first_chunk::<N>().ok_or(Error::Accounts)?;
        // SAFETY: `parse` filled the first `count`, each another account; `self` is gone after this.
        Ok(bases.map(|base| unsafe { Account::new(base) }))
    }
}

/// # Safety
/// `input` is the loader's input, and nothing else reads or writes it.
#[inline(always)]
pub unsafe fn parse(input: *mut u8) -> Result<Input> {
    // SAFETY: every step stays inside what the loader wrote, by the lengths that it wrote.
    unsafe {
        let count = *input.cast::<u64>();
        require(count <= MAX_ACCOUNTS as u64, Error::Accounts)?;
        let mut bases = [input; MAX_ACCOUNTS];
        let mut at = input.add(8);
        for base in bases.iter_mut().take(count as usize) {
            require(*at == 0xff, Error::Accounts)?;
            *base = at;
            let length = *at.add(80).cast::<u64>() as usize;
            at = at.add(DATA_AT).add(length).add(GROWTH);
            at = at.add(at.align_offset(8)).add(8);
        }
        let length = *at.cast::<u64>() as usize;
        let data = core::slice::from_raw_parts(at.add(8), length);
        let program = &*at.add(8).add(length).cast::<Key>();
        Ok(Input { accounts: Accounts { bases, count: count as usize }, data, program })
    }
}
