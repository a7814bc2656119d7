import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { FEED_OFFSETS, SET_BYTES } from '@assay/core/feed/feed-account';
import { formatPage, parsePage } from '@assay/core/feed/page-account';
import { parseDate } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { requireSameChain } from '@assay/verifier/feed/onchain-check';
import type { AccountBytes, ChainLookup } from '@assay/verifier/feed/chain-lookup';
import { FeedAddresses } from '@assay/core/feed/program-address';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { CHECKPOINTS, REPORT_SIGNER } from '../../node/ledger/ledger-fixture.ts';
import {
  accountsOf,
  CHAIN,
  type Chained,
  chained,
  fileOf,
  KNOWN_SLOT,
  lookupOf,
  PROGRAM,
  READ_SLOT,
  TICKER,
} from '../fixture/chained-log.ts';
import { ANOTHER_SET } from '../fixture/chained-misdeeds.ts';
import { flip, LONG } from '../fixture/flip.ts';
import {
  codesOf,
  folderOf,
  judge,
  judgeFolder,
  judgeSite,
  publish,
  siteOf,
  siteReader,
} from '../fixture/published.ts';

const honest = chained();
const accounts: ReadonlyMap<string, AccountBytes> = accountsOf(honest);
const behind = honest.seqOf('2026-08-01 final 0');

function judged(chain: ChainLookup, log: Chained = honest): Promise<Verdict> {
  return judgeSite(siteOf(log.published), {}, { chain });
}

/** The verdict on a log whose chain was changed, honestly. */
async function verified(chain: ChainLookup, log: Chained = honest) {
  const verdict = await judged(chain, log);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  if (verdict.outcome !== 'verified' || verdict.onchain === null) return assert.fail();
  const { onchain, not_checked } = verdict;
  return { onchain, named: not_checked.map(({ what }) => what).join('\n') };
}

test('an honest log and the accounts of its chain: verified, and what is there is reported', async () => {
  const options = { chain: lookupOf(accounts) };
  for (const verdict of [
    await judgeSite(siteOf(honest.published), {}, options),
    await judgeSite(
      siteOf(chained(ANOTHER_SET).published),
      {},
      {
        chain: lookupOf(accountsOf(chained(ANOTHER_SET))),
      },
    ),
    await judgeFolder(folderOf(honest.published), {}, options),
  ]) {
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
    if (verdict.outcome !== 'verified') return;
    assert.deepEqual(verdict.onchain, {
      chain: CHAIN,
      program: PROGRAM,
      source: 'the word of rpc.example',
      slot: KNOWN_SLOT,
      feeds: 1,
      prints: 8,
      closes: 5,
      behind: {
        count: 2,
        oldest: { of: 'print', ticker: TICKER, period: '2026-08-01', seq: behind },
      },
      newer: 0,
      unseen: 0,
    });
    const { cosignatures, dissents, prints, accounts: compared } = verdict.checked;
    assert.deepEqual([cosignatures, dissents, prints, compared], [17, 1, 13, 6]);
    const named = verdict.not_checked.map(({ what, why }) => `${what}: ${why}`).join('\n');
    for (const each of [
      /account bytes .* the word of rpc\.example/,
      new RegExp(`the program at ${PROGRAM} .* verify-program`),
      /transactions that brought prints/,
      /co-signers read .* silent/,
    ]) {
      assert.match(named, each);
    }
  }
});

test('a print that came after the slot that was known: counted as newer, and no finding', async () => {
  const log = chained();
  const record = log.accounts.slots.get(parseDate('2026-07-18'))?.provisional;
  if (record == null) return assert.fail();
  const period = parseDate('2026-08-08');
  log.accounts.slots.set(period, {
    period,
    provisional: { ...record, report: 'ab'.repeat(32) as HashHex, slot: BigInt(KNOWN_SLOT + 1) },
    settled: null,
    corrected: null,
    dissent: false,
  });
  const { onchain } = await verified(lookupOf(accountsOf(log)));
  assert.deepEqual([onchain.newer, onchain.prints], [1, 8]);
});

test('a copy of a log that is older than the chain: what came since is newer', async () => {
  const log = chained();
  const record = log.accounts.slots.get(parseDate('2026-07-18'))?.provisional;
  if (record == null) return assert.fail();
  const period = parseDate('2026-08-08');
  const provisional = {
    ...record,
    report: 'ab'.repeat(32) as HashHex,
    slot: BigInt(KNOWN_SLOT - 1),
  };
  log.accounts.slots.set(period, {
    period,
    provisional,
    settled: null,
    corrected: null,
    dissent: false,
  });
  const options = { chain: lookupOf(accountsOf(log)) };
  const copy = await judgeFolder(folderOf(honest.published), {}, options);
  assert.ok(copy.outcome === 'verified', JSON.stringify(copy, null, 1));
  assert.deepEqual([copy.onchain?.newer, copy.onchain?.slot], [1, KNOWN_SLOT]);
  const served = await judgeSite(siteOf(honest.published), {}, options);
  assert.equal(served.outcome, 'findings');
});

test('a final between the readings of page and feed: asked for again, and newer', async () => {
  const log = chained();
  const period = parseDate('2026-08-08');
  const record = log.accounts.slots.get(parseDate('2026-07-18'))?.settled;
  if (record == null) return assert.fail();
  log.accounts.feed.latest = period;
  const read = accountsOf(log);
  const settled = { ...record, slot: BigInt(KNOWN_SLOT + 5) };
  log.accounts.slots.set(period, {
    period,
    provisional: null,
    settled,
    corrected: null,
    dissent: false,
  });
  const now = accountsOf(log);
  const lookup = (slot: bigint): ChainLookup => {
    let asked = 0;
    settled.slot = slot;
    return lookupOf(read, {
      accounts: (addresses) => {
        asked += 1;
        const from = asked <= 2 ? read : now;
        return Promise.resolve(addresses.map((each) => from.get(each) ?? null));
      },
    });
  };
  assert.equal((await verified(lookup(BigInt(KNOWN_SLOT + 5)))).onchain.newer, 1);
});

test('rules, sets and Closes that came after the log: newer', async () => {
  const log = chained();
  const { feed, closes } = log.accounts;
  const far = 4_000_000_000n;
  feed.rules.push({ hash: 'ab'.repeat(32) as HashHex, first: 30_002, effective: far });
  feed.sets.push({ keys: ['cd'.repeat(32) as HashHex], threshold: 1, effective: far });
  const close = closes.get(parseDate('2026-07-30'));
  close?.hashes.push('ef'.repeat(32) as HashHex);
  if (close !== undefined) close.slot = BigInt(KNOWN_SLOT + 1);
  const { onchain } = await verified(lookupOf(accountsOf(log)));
  assert.deepEqual([onchain.newer, onchain.closes], [3, 5]);
});

/** Accounts of before anything stood, but for the feed and its empty pages. */
function oldAccounts(): ReadonlyMap<string, AccountBytes> {
  const old = new Map([...accounts].map(([at, each]) => [at, { ...each, slot: 1005 }]));
  for (const [at, each] of old) {
    if (each.data.length === 6480) {
      const page = parsePage(each.data);
      old.set(at, { ...each, data: formatPage({ ...page, slots: page.slots.map(() => null) }) });
    }
    if (each.data.length === 608) old.delete(at);
    if (each.data.length === 5424) {
      const data = new Uint8Array(each.data);
      new DataView(data.buffer).setInt32(FEED_OFFSETS.latest, -(2 ** 31), true);
      old.set(at, { ...each, data });
    }
  }
  return old;
}

test('a node that is behind the log, or a log of slots that have not been: incomplete', async () => {
  const at: number[] = [];
  const late = lookupOf(oldAccounts(), {
    slot: 1000,
    at: (slot) => {
      at.push(slot);
      return Promise.resolve(undefined);
    },
  });
  const far = chained({
    entry: (name, { body }) => {
      if (name === '2026-07-18 final 0 print') body['slot'] = Number.MAX_SAFE_INTEGER;
    },
  });
  for (const verdict of [
    await judged(late),
    await judgeFolder(folderOf(honest.published), {}, { chain: late }),
    await judged(lookupOf(accounts), far),
  ]) {
    assert.equal(verdict.outcome, 'incomplete', JSON.stringify(verdict, null, 1));
    const reason = verdict.outcome === 'incomplete' ? verdict.reason : '';
    assert.match(reason, /slots that have not been: ask another node$/);
  }
  assert.deepEqual(at, [1130, 1130]);
});

test('a node that comes to the log in a moment: everything is searched for at its newest slot', async () => {
  const late = lookupOf(oldAccounts(), {
    slot: 1000,
    at: (slot) => Promise.resolve(lookupOf(accounts, { slot })),
  });
  const { onchain } = await verified(late);
  assert.deepEqual([onchain.slot, onchain.unseen, onchain.feeds], [1000, 0, 1]);
  const gone = { ...late, at: (slot: number) => Promise.resolve(lookupOf(new Map(), { slot })) };
  const verdict = await judged(gone);
  assert.ok(codesOf(verdict).includes('feed_print_missing'));
});

test('accounts that were kept before: what they cannot show is counted and named', async () => {
  const { at: _, ...kept } = lookupOf(oldAccounts(), { slot: 1000 });
  const { named, onchain } = await verified(kept);
  assert.match(named, /^13 prints and Closes that the log puts at slots after/m);
  assert.equal(onchain.unseen, 13);
  const nothing = await verified(fileOf(new Map(), 1000));
  assert.equal(nothing.onchain.unseen, 13);
});

test('entries of after the accounts were read: counted and named, and no node is blamed', async () => {
  const size = honest.seqOf('2026-07-18 final 0 print');
  const { entries, blobs } = honest.published;
  const early = siteOf(publish(entries.slice(0, size), blobs, CHECKPOINTS));
  const whole = siteOf(honest.published);
  // The chain as it was while the first entries were the log.
  const log = chained();
  const slotThen = Number(log.accounts.slots.get(parseDate('2026-07-18'))?.settled?.slot) - 5;
  for (const [period, slot] of log.accounts.slots) {
    if (period < parseDate('2026-07-18')) continue;
    if (period === parseDate('2026-07-18')) slot.settled = null;
    else log.accounts.slots.delete(period);
  }
  log.accounts.feed.latest = parseDate('2026-07-11');
  for (const day of log.accounts.closes.keys()) {
    if (day > parseDate('2026-07-18')) log.accounts.closes.delete(day);
  }
  const then = new Map(
    [...accountsOf(log)].map(([address, each]) => [address, { ...each, slot: slotThen }]),
  );
  let read = false;
  const chain = lookupOf(then, {
    slot: slotThen - 2,
    accounts: (wanted) => {
      read = true;
      return Promise.resolve(wanted.map((each) => then.get(each) ?? null));
    },
  });
  const reader = { live: true, get: (path: string) => siteReader(read ? whole : early).get(path) };
  const verdict = await judge({ kind: 'log', reader }, {}, { chain });
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  if (verdict.outcome !== 'verified') return;
  assert.ok((verdict.onchain?.unseen ?? 0) > 0);
  assert.match(verdict.not_checked.map(({ what }) => what).join('\n'), /slots after those/);
});

test('pages whose feed was not given: not compared, and what should be in them is counted', async () => {
  const pages = new Map([...accounts].filter(([, { data }]) => data.length !== 5424));
  const { onchain, named } = await verified(fileOf(pages, READ_SLOT));
  assert.deepEqual([onchain.feeds, onchain.prints, onchain.closes, onchain.unseen], [0, 0, 5, 8]);
  assert.match(named, /^8 prints and Closes that the log says are on chain$/m);
});

test('lamports that a stranger sent to where nothing was made: nothing is there', async () => {
  const addresses = new FeedAddresses(nodeSha256, PROGRAM, formatHex(REPORT_SIGNER.publicKey));
  const sent = { owner: '1'.repeat(32), data: new Uint8Array(0), slot: READ_SLOT };
  for (const address of [
    addresses.page(TICKER, 93).address,
    addresses.close(TICKER, parseDate('2026-07-12')).address,
  ]) {
    assert.equal(accounts.has(address), false);
    await verified(lookupOf(new Map([...accounts, [address, sent]])));
  }
  const none = chained({ skip: (name) => name.endsWith(' print') });
  const feed = new Map([[addresses.feed(TICKER).address, sent]]);
  assert.equal((await verified(lookupOf(feed), none)).onchain.feeds, 0);
});

test('a Close on chain of any day of the log is one of the log', async () => {
  const addresses = new FeedAddresses(nodeSha256, PROGRAM, formatHex(REPORT_SIGNER.publicKey));
  for (const date of ['2026-07-01', '2026-07-08', '2026-08-07', '2026-08-08']) {
    const log = chained();
    const { closes } = log.accounts;
    const any = closes.get(parseDate('2026-07-30'));
    if (any === undefined) return assert.fail();
    const day = parseDate(date);
    const { bump } = addresses.close(TICKER, day);
    closes.set(day, { ...any, day, bump, hashes: ['ab'.repeat(32) as HashHex] });
    const verdict = await judged(lookupOf(accountsOf(log)), log);
    assert.deepEqual(codesOf(verdict), ['feed_print_unknown'], date);
  }
});

test('versions of a day may have come in another order than the log has them', async () => {
  const log = chained();
  log.accounts.closes.get(parseDate('2026-07-30'))?.hashes.reverse();
  await verified(lookupOf(accountsOf(log)), log);
  // One that never belonged there, brought by a stranger behind all others.
  const left = chained({ skip: (name) => name === 'close 2026-07-30 print' });
  const close = left.accounts.closes.get(parseDate('2026-07-30'));
  if (close === undefined) return assert.fail();
  close.hashes.reverse();
  close.slot += 500n;
  await verified(lookupOf(accountsOf(left)), left);
});

test('accounts that were not given are named, and nothing is reported of them', async () => {
  const some = [...accounts].filter(([, { data }]) => data.length !== 608);
  const few = new Map(some);
  const { onchain, named } = await verified(
    lookupOf(few, { accounts: (all) => Promise.resolve(all.map((each) => few.get(each))) }),
  );
  assert.deepEqual([onchain.feeds, onchain.prints, onchain.closes], [1, 8, 0]);
  assert.match(named, /^\d+ of the accounts that the log may have on chain$/m);
  const none = await verified(
    lookupOf(few, { accounts: (all) => Promise.resolve(all.map(() => undefined)) }),
  );
  assert.deepEqual([none.onchain.feeds, none.onchain.behind.count], [0, 0]);
});

test('a dissent that nobody brought to the chain is named', async () => {
  const log = chained();
  const slot = log.accounts.slots.get(parseDate('2026-07-04'));
  if (slot?.settled == null) return assert.fail();
  slot.settled = { ...slot.settled, dissents: 0 };
  slot.dissent = false;
  const { named } = await verified(lookupOf(accountsOf(log)), log);
  assert.match(named, /^1 dissents in the log that the chain does not show$/m);
});

test('accounts of another chain: refused, and neither a yes nor a finding', async () => {
  const chain = lookupOf(accounts, { chain: 'solana:another' });
  for (const verdict of [
    await judged(chain),
    await judgeFolder(folderOf(honest.published), {}, { chain }),
  ]) {
    assert.equal(verdict.outcome, 'incomplete');
    assert.match(verdict.outcome === 'incomplete' ? verdict.reason : '', /solana:another/);
  }
  assert.throws(() => requireSameChain(chain, CHAIN), /which the log names/);
  requireSameChain(chain, 'solana:another');
});

/** When the second set takes effect: the chain's clock alone, which nothing holds to the second. */
const SECOND = FEED_OFFSETS.sets + SET_BYTES;

function isClock(length: number, at: number): boolean {
  return length === 5424 && at >= SECOND && at < SECOND + 8;
}

test('any byte of any account the other way: found', async () => {
  for (const [address, account] of accounts) {
    const { data } = account;
    const step = LONG ? 1 : data.length > 1000 ? 61 : 13;
    for (let at = 0; at < data.length; at += step) {
      if (isClock(data.length, at)) continue;
      const changed = new Map(accounts);
      changed.set(address, { ...account, data: flip(data, at, (at * 5) % 8) });
      const verdict = await judged(lookupOf(changed));
      const what = `byte ${at} of the account of ${data.length} bytes`;
      assert.equal(verdict.outcome, 'findings', `${what} ${JSON.stringify(verdict, null, 1)}`);
      const known = ['feed_differs', 'feed_print_unknown', 'feed_print_missing', 'print_differs'];
      const more = ['feed_entry_wrong', 'feed_signature_unlogged'];
      for (const code of codesOf(verdict)) assert.ok([...known, ...more].includes(code), code);
    }
  }
});

test('a hundred thousand slots later: the same', async () => {
  const later = new Map([...accounts].map(([at, each]) => [at, { ...each, slot: READ_SLOT * 10 }]));
  assert.equal((await verified(lookupOf(later))).onchain.newer, 0);
});
