//! The one signature backend: the Ed25519 precompile, seen through the instructions sysvar. Whatever
//! replaces it replaces this file.
//!
//! The sysvar, little endian:
//!
//! ```text
//!      2  number of instructions u16
//!     2n  where each begins u16
//!         each: number of accounts u16, 33 bytes an account, program id 32, data length u16, data
//! ```
//!
//! The precompile's data: number of signatures u8, zero u8, then for each seven u16: where the signature
//! begins and in which instruction, the same for the key, the message with its length in between.
//! 0xffff is the instruction itself: no other is taken, so that what is read here was verified.

use crate::account::Account;
use crate::bytes::{Key, array_at, equal, u16_at, u64_at};
use crate::error::{Error, Result, require};
use crate::feed::MAX_COSIGNERS;

/// Sysvar1nstructions1111111111111111111111111
const INSTRUCTIONS: Key = [
    0x06, 0xa7, 0xd5, 0x17, 0x18, 0x7b, 0xd1, 0x66, 0x35, 0xda, 0xd4, 0x04, 0x55, 0xfd, 0xc2, 0xc0,
    0xc1, 0x24, 0xc6, 0x8f, 0x21, 0x56, 0x75, 0xa5, 0xdb, 0xba, 0xcb, 0x5f, 0x08, 0, 0, 0,
];

/// Ed25519SigVerify111111111111111111111111111
const ED25519: Key = [
    0x03, 0x7d, 0x46, 0xd6, 0x7c, 0x93, 0xfb, 0xbe, 0x12, 0xf9, 0x42, 0x8f, 0x83, 0x8d, 0x40, 0xff,
    0x05, 0x70, 0x74, 0x49, 0x27, 0xf4, 0x8a, 0x64, 0xfc, 0xca, 0x70, 0x44, 0x80, 0, 0, 0,
];

/// The publisher and a whole set.
const MAX_SIGNERS: usize = 1 + MAX_COSIGNERS;

/// 0xffff where bytes 0 to 8 and 6 to 14 of a signature's offsets name an instruction.
const OWN_PLACES: u64 = 0xffff_0000_ffff_0000;
const OWN_MESSAGE: u64 = 0xffff_0000_0000_ffff;
const OFFSETS: usize = 2;
const OFFSETS_BYTES: usize = 14;
const ACCOUNT_BYTES: usize = 33;

/// One message and who signed it, each key once.
pub struct Verified<'a, const N: usize> {
    pub message: &'a [u8; N],
    signers: [&'a Key; MAX_SIGNERS],
    count: usize,
}

impl<'a, const N: usize> Verified<'a, N> {
    #[inline(always)]
    pub fn signers(&self) -> &[&'a Key] {
        self.signers.get(..self.count).unwrap_or(&[])
    }
}

/// What the transaction's instruction number `index` proves: distinct keys that signed one message of
/// `N` bytes. A function of its own, for its loop then has the registers to itself.
#[inline(never)]
pub fn verified_signers<const N: usize>(sysvar: &Account, index: u8) -> Result<Verified<'_, N>> {
    require(equal(sysvar.key(), &INSTRUCTIONS), Error::WrongSysvar)?;
    let data = ed25519_data(sysvar.data(), usize::from(index)).ok_or(Error::EdInstruction)?;
    let count = usize::from(*data.first().ok_or(Error::EdCount)?);
    require(count >= 1 && count <= MAX_SIGNERS, Error::EdCount)?;
    let message_at = u16_at(data, OFFSETS + 8).ok_or(Error::EdOffsets)?;
    let message = array_at(data, usize::from(message_at)).ok_or(Error::EdMessage)?;
    // The message's place and length, between two instructions that are this one.
    let expected = OWN_MESSAGE | u64::from(message_at) << 16 | (N as u64) << 32;
    let mut signers = [&INSTRUCTIONS; MAX_SIGNERS];
    for number in 0..count {
        let offsets: &[u8; OFFSETS_BYTES] =
            array_at(data, OFFSETS + OFFSETS_BYTES * number).ok_or(Error::EdOffsets)?;
        let places = u64_at(offsets, 0).ok_or(Error::EdOffsets)?;
        let rest = u64_at(offsets, 6).ok_or(Error::EdOffsets)?;
        let is_own = places & OWN_PLACES == OWN_PLACES && rest & OWN_MESSAGE == OWN_MESSAGE;
        require(is_own, Error::EdOffsets)?;
        require(rest == expected, Error::EdMessage)?;
        let key_at = (places >> 32) as u16;
        let key: &Key = array_at(data, usize::from(key_at)).ok_or(Error::EdOffsets)?;
        for other in signers.iter().take(number) {
            require(!equal(other, key), Error::RepeatedSigner)?;
        }
        *signers.get_mut(number).ok_or(Error::EdCount)? = key;
    }
    Ok(Verified { message, signers, count })
}

/// The data of instruction `index`, if it is the precompile's.
#[inline(always)]
fn ed25519_data(sysvar: &[u8], index: usize) -> Option<&[u8]> {
    if index >= usize::from(u16_at(sysvar, 0)?) {
        return None;
    }
    let begin = usize::from(u16_at(sysvar, 2 + 2 * index)?);
    let accounts = usize::from(u16_at(sysvar, begin)?);
    let program_at = begin + 2 + ACCOUNT_BYTES * accounts;
    if !equal(array_at(sysvar, program_at)?, &ED25519) {
        return None;
    }
    let length = usize::from(u16_at(sysvar, program_at + 32)?);
    sysvar.get(program_at + 34..)?.get(..length)
}
