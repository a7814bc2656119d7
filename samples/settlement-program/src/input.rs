//! The input of one instruction, as loader v3 lays it out:
//!
//! ```text
//!     8  number of accounts u64
//!        each account:
//!           0   1  0xff: not a duplicate
//!           1   1  signer
//!           8  32  key
//!          40  32  owner
//!          72   8  lamports u64
//!          80   8  data length u64
//!          88   n  data, 10,240 bytes to grow, padding to 8, rent epoch u64
//!     8  length of the data u64
//!     n  data
//!    32  program id
//! ```
#![allow(unsafe_code)]

use crate::error::{Error, Result, require};
use crate::final_value::Key;

const MAX_ACCOUNTS: usize = 4;
const DATA_AT: usize = 88;
const GROWTH: usize = 10_240;

/// One account. No two share memory: `parse` refuses a duplicate.
pub struct Account {
    base: *mut u8,
}

impl Account {
    pub fn is_signer(&self) -> bool {
        // SAFETY: inside the 88 bytes that every account has; so are the next four.
        unsafe { *self.base.add(1) != 0 }
    }

    pub fn key(&self) -> &Key {
        // SAFETY: as above.
        unsafe { &*self.base.add(8).cast() }
    }

    pub fn owner(&self) -> &Key {
        // SAFETY: as above.
        unsafe { &*self.base.add(40).cast() }
    }

    pub fn lamports(&self) -> u64 {
        // SAFETY: as above; words are aligned there.
        unsafe { *self.base.add(72).cast() }
    }

    /// The runtime refuses the instruction where the account may not change so.
    pub fn set_lamports(&mut self, lamports: u64) {
        // SAFETY: as above.
        unsafe { *self.base.add(72).cast() = lamports }
    }

    fn length(&self) -> usize {
        // SAFETY: as above.
        unsafe { *self.base.add(80).cast::<u64>() as usize }
    }

    pub fn data(&self) -> &[u8] {
        // SAFETY: the loader gives that many bytes.
        unsafe { core::slice::from_raw_parts(self.base.add(DATA_AT), self.length()) }
    }

    /// The runtime refuses the instruction where the account may not change so.
    pub fn data_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` is the only way to it.
        unsafe { core::slice::from_raw_parts_mut(self.base.add(DATA_AT), self.length()) }
    }
}

pub struct Input {
    bases: [*mut u8; MAX_ACCOUNTS],
    count: usize,
    pub data: &'static [u8],
    pub program: &'static Key,
}

impl Input {
    /// The accounts, when there are `N`.
    pub fn accounts<const N: usize>(self) -> Result<[Account; N]> {
        require(self.count == N, Error::Accounts)?;
        let bases = self.bases.first_chunk::<N>().ok_or(Error::Accounts)?;
        Ok(bases.map(|base| Account { base }))
    }
}

/// # Safety
/// `input` is the loader's input, and nothing else reads or writes it.
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
        let program = &*at.add(8).add(length).cast();
        Ok(Input { bases, count: count as usize, data, program })
    }
}
