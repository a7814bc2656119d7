//! Creating accounts by the system program.

use crate::account::Account;
use crate::bytes::{Key, equal, put};
use crate::error::{Error, Result, require};
use crate::program_address::require_address;
use crate::syscall::{self, Slice, SystemCall};

const SYSTEM: Key = [0; 32];

const CREATE_ACCOUNT: u8 = 0;
const ASSIGN: u8 = 1;
const TRANSFER: u8 = 2;
const ALLOCATE: u8 = 8;

/// What the runtime counts for an account beside its data, bytes.
const OVERHEAD: u64 = 128;

/// One and two years as f64: the exemption before and after SIMD-0194.
const ONE: u64 = 0x3ff0_0000_0000_0000;
const TWO: u64 = 0x4000_0000_0000_0000;

/// Who pays, the account that is made, and the system program.
pub struct Creation<'a> {
    pub payer: &'a Account,
    pub account: &'a Account,
    pub system: &'a Account,
}

impl Creation<'_> {
    /// Makes the account of `space` zero bytes, owned by `program`, at the address of `seeds`, whose bump
    /// it returns. An address that somebody sent lamports to is topped up, allocated and assigned.
    pub fn create(self, seeds: &[Slice; 3], space: u16, program: &Key) -> Result<u8> {
        let Self { payer, account, system } = self;
        payer.require_signer()?;
        payer.require_writable()?;
        account.require_writable()?;
        require(equal(system.key(), &SYSTEM), Error::WrongProgram)?;
        let bump = require_address(account, seeds, program)?;
        require(equal(account.owner(), &SYSTEM) && account.data().is_empty(), Error::Exists)?;
        let bumps = [bump];
        let [tag, first, second] = *seeds;
        let seeds = [tag, first, second, Slice::of(&bumps)];
        let call = SystemCall { payer, account, system, seeds };
        let rent = exempt_balance(space)?;
        let space = u64::from(space).to_le_bytes();
        let held = account.lamports();
        if held == 0 {
            let mut data = [0; 52];
            data[0] = CREATE_ACCOUNT;
            fill(&mut data, 4, &rent.to_le_bytes())?;
            fill(&mut data, 12, &space)?;
            fill(&mut data, 20, program)?;
            call.with_payer(&data, true)?;
            return Ok(bump);
        }
        if let Some(missing) = rent.checked_sub(held).filter(|&missing| missing > 0) {
            let mut data = [0; 12];
            data[0] = TRANSFER;
            fill(&mut data, 4, &missing.to_le_bytes())?;
            call.with_payer(&data, false)?;
        }
        let mut data = [0; 12];
        data[0] = ALLOCATE;
        fill(&mut data, 4, &space)?;
        call.on_account(&data)?;
        let mut data = [0; 36];
        data[0] = ASSIGN;
        fill(&mut data, 4, program)?;
        call.on_account(&data)?;
        Ok(bump)
    }
}

fn fill<const N: usize>(data: &mut [u8], at: usize, value: &[u8; N]) -> Result<()> {
    put(data, at, value).ok_or(Error::Corrupt)
}

/// Lamports that keep an account of `space` bytes free of rent.
fn exempt_balance(space: u16) -> Result<u64> {
    let [a_byte, years] = syscall::rent()?;
    let years = match years {
        ONE => 1,
        TWO => 2,
        _ => return Err(Error::Corrupt),
    };
    let bytes = (u64::from(space) + OVERHEAD) * years;
    // 32 bits hold it a thousand times over, and the product then fits 64.
    let a_byte = u32::try_from(a_byte).map_err(|_| Error::Overflow)?;
    Ok(u64::from(a_byte) * bytes)
}
