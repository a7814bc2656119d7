//! Program addresses: a tag and two seeds.

use crate::account::Account;
use crate::bytes::{Key, equal};
use crate::error::{Error, Result, require};
use crate::syscall::{self, Slice};

/// The bump seed of `seeds`. `WrongAddress` unless `account` stands at their address.
pub fn require_address(account: &Account, seeds: &[Slice; 3], program: &Key) -> Result<u8> {
    let (key, bump) = syscall::find_program_address(seeds, program)?;
    require(equal(&key, account.key()), Error::WrongAddress)?;
    Ok(bump)
}
