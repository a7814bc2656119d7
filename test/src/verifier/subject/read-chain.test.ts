import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireChain } from '@assay/verifier/subject/read-chain';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import type { Session } from '@assay/verifier/subject/session';
import { Fault } from '@assay/core/fault';
import { genesisBody } from '../../node/ledger/ledger-fixture.ts';
import { CHAIN, chained, accountsOf, lookupOf } from '../fixture/chained-log.ts';
import {
  codesOf,
  folderOf,
  judge,
  judgeFolder,
  judgeSite,
  publish,
  siteOf,
  siteReader,
  youngLog,
} from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';
import { CHECKPOINTS } from '../../node/ledger/ledger-fixture.ts';

const log = chained();
const whole = siteOf(log.published);

test('without accounts: the verdict names what nobody checked', async () => {
  const verdict = await judgeSite(whole);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.equal(verdict.outcome === 'verified' && verdict.onchain, null);
  const named = verdict.not_checked.map(({ what, why }) => `${what}: ${why}`).join('\n');
  assert.match(named, /the log says that 13 prints and Closes are: .*--chain-rpc/);
  assert.match(named, new RegExp(`accounts on ${CHAIN}`));
});

test('a log that names no chain: with accounts given there is no yes, for nothing was compared', async () => {
  const young = youngLog(await sampleLog());
  const options = { chain: lookupOf(new Map()) };
  for (const verdict of [
    await judgeSite(siteOf(young), {}, options),
    await judgeFolder(folderOf(young), {}, options),
  ]) {
    assert.equal(verdict.outcome, 'incomplete');
    assert.match(verdict.outcome === 'incomplete' ? verdict.reason : '', /the log names none/);
  }
  assert.equal((await judgeSite(siteOf(young))).outcome, 'verified');
});

test('a chain is held to what the first entry names', () => {
  const session: Pick<Session, 'chain'> = { chain: lookupOf(new Map()) };
  requireChain(session, genesisBody({ chain: CHAIN }));
  assert.throws(() => requireChain(session, genesisBody({ chain: 'solana:other' })));
  assert.throws(() => requireChain(session, genesisBody()), { code: 'refused' });
  requireChain({ chain: undefined }, genesisBody({ chain: 'solana:other' }));
  requireChain({ chain: undefined }, genesisBody());
});

test('a node that does not answer: incomplete, with its reason', async () => {
  const chain = lookupOf(new Map(), {
    accounts: () => Promise.reject(new Fault('unreachable', 'Solana node')),
  });
  const verdict = await judgeSite(whole, {}, { chain });
  assert.equal(verdict.outcome, 'incomplete');
  assert.match(verdict.outcome === 'incomplete' ? verdict.reason : '', /Solana node/);
});

test('a log that goes on while the accounts are read is followed to what it has become', async () => {
  // The accounts show a dissent and a final whose entries come after the first checkpoint.
  const size = log.seqOf('2026-07-04 final 0 dissent cleo');
  const early = siteOf(
    publish(log.published.entries.slice(0, size), log.published.blobs, CHECKPOINTS),
  );
  let read = false;
  const reader: LogReader = {
    live: true,
    get: (path) => siteReader(read ? whole : early).get(path),
  };
  const accounts = accountsOf(log);
  const chain = lookupOf(accounts, {
    accounts: (wanted) => {
      read = true;
      return Promise.resolve(wanted.map((each) => accounts.get(each) ?? null));
    },
  });
  const verdict = await judge({ kind: 'log', reader }, {}, { chain });
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  if (verdict.outcome !== 'verified') return;
  assert.equal(verdict.log.size, log.published.entries.length);
  assert.equal(verdict.onchain?.prints, 8);
});

test('another checkpoint of the same size, shown while the accounts are read, is compared', async () => {
  let read = false;
  const { entries } = log.published;
  const other = new Map(whole);
  const shown = whole.get('/checkpoint');
  assert.ok(shown !== undefined);
  const root = new Uint8Array(32).fill(7) as never;
  other.set('/checkpoint', { ...shown, body: CHECKPOINTS.sign(entries.length, root) });
  const reader: LogReader = {
    live: true,
    get: (path) => siteReader(read ? other : whole).get(path),
  };
  const accounts = accountsOf(log);
  const chain = lookupOf(accounts, {
    accounts: (wanted) => {
      read = true;
      return Promise.resolve(wanted.map((each) => accounts.get(each) ?? null));
    },
  });
  const verdict = await judge({ kind: 'log', reader }, {}, { chain });
  assert.deepEqual(codesOf(verdict), ['root_differs'], JSON.stringify(verdict, null, 1));
});
