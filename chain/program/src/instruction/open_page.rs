//! 1: opens a page. Anyone may. Accounts: payer (signs, pays), feed, page (written), system program.
//! Data behind the first byte: index u32.

use crate::bytes::Key;
use crate::entry::Accounts;
use crate::error::{Error, Result};
use crate::feed;
use crate::page::{self, PAGE_BYTES, Page};
use crate::syscall::Slice;
use crate::system::Creation;

pub fn run(accounts: Accounts, data: &[u8], program: &Key) -> Result<()> {
    let [payer, feed, mut account, system] = accounts.take()?;
    let index: [u8; 4] = data.try_into().map_err(|_| Error::Data)?;
    feed::read(&feed, program)?;
    let seeds = [Slice::of(page::TAG), Slice::of(feed.key()), Slice::of(&index)];
    let creation = Creation { payer: &payer, account: &account, system: &system };
    let bump = creation.create(&seeds, PAGE_BYTES as u16, program)?;
    let page: &mut Page = account.data_mut()?.try_into().map_err(|_| Error::WrongSize)?;
    page::begin(page, bump, u32::from_le_bytes(index), feed.key())
}
