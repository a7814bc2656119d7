//! One account as the loader lays it out:
//!
//! ```text
//!      0   1  0xff: not a duplicate
//!      1   1  signer
//!      2   1  writable
//!      3   1  executable
//!      4   4  zero
//!      8  32  key
//!     40  32  owner
//!     72   8  lamports
//!     80   8  data length
//!     88   n  data, then room to grow
//! ```
#![allow(unsafe_code)]

use crate::bytes::Key;
use crate::error::{Error, Result, require};
use crate::syscall::AccountInfo;

pub const DATA_AT: usize = 88;

/// Made by `entry` alone, once for each account of the instruction, so that no two share memory.
pub struct Account {
    base: *mut u8,
}

impl Account {
    /// # Safety
    /// `base` points to an account in the loader's layout, and no other `Account` does.
    pub unsafe fn new(base: *mut u8) -> Self {
        Self { base }
    }

    fn word(&self, at: usize) -> u64 {
        // SAFETY: inside the 88 bytes that every account has; words are aligned there.
        unsafe { *self.base.add(at).cast::<u64>() }
    }

    fn is(&self, at: usize) -> bool {
        // SAFETY: as above.
        unsafe { *self.base.add(at) != 0 }
    }

    fn key_at(&self, at: usize) -> &Key {
        // SAFETY: as above; bytes have no alignment.
        unsafe { &*self.base.add(at).cast::<Key>() }
    }

    pub fn key(&self) -> &Key {
        self.key_at(8)
    }

    pub fn owner(&self) -> &Key {
        self.key_at(40)
    }

    pub fn lamports(&self) -> u64 {
        self.word(72)
    }

    pub fn data(&self) -> &[u8] {
        // SAFETY: the loader gives that many bytes; after a call it keeps the length up to date.
        unsafe { core::slice::from_raw_parts(self.base.add(DATA_AT), self.word(80) as usize) }
    }

    pub fn data_mut(&mut self) -> Result<&mut [u8]> {
        self.require_writable()?;
        // SAFETY: as above, and `&mut self` is the only way to it.
        Ok(unsafe {
            core::slice::from_raw_parts_mut(self.base.add(DATA_AT), self.word(80) as usize)
        })
    }

    pub fn require_signer(&self) -> Result<()> {
        require(self.is(1), Error::NotSigner)
    }

    pub fn require_writable(&self) -> Result<()> {
        require(self.is(2), Error::NotWritable)
    }

    /// The account as system calls take it: pointers into the loader's memory.
    pub fn info(&self) -> AccountInfo {
        // SAFETY: inside the account.
        unsafe {
            AccountInfo {
                key: self.base.add(8),
                lamports: self.base.add(72).cast(),
                data_len: self.word(80),
                data: self.base.add(DATA_AT),
                owner: self.base.add(40),
                rent_epoch: 0,
                is_signer: self.is(1),
                is_writable: self.is(2),
                executable: self.is(3),
            }
        }
    }
}
