import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDate } from '@assay/core/time/time';
import { behindOf } from '@assay/verifier/feed/logged-check';
import type { OnchainContext } from '@assay/verifier/feed/account-check';
import type { Compared } from '@assay/verifier/feed/compared';
import { accountsOf, chained, lookupOf } from '../fixture/chained-log.ts';
import { judgeSite, siteOf } from '../fixture/published.ts';

test('where nothing was checked, nothing is behind', () => {
  const { views } = chained().published;
  const none = { feeds: new Map(), pages: new Map(), closes: new Map(), kinds: new Map(), slot: 0 };
  const context = { state: views } as unknown as OnchainContext;
  assert.deepEqual(behindOf(none as Compared, context), { count: 0, oldest: null });
});

/** What is behind once entries of what is on chain, and the chain's own, are gone. */
async function behind(skipped: readonly string[], drop: (log: ReturnType<typeof chained>) => void) {
  const log = chained({ skip: (name) => skipped.includes(name) });
  drop(log);
  const options = { chain: lookupOf(accountsOf(log)) };
  const verdict = await judgeSite(siteOf(log.published), {}, options);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  return verdict.outcome === 'verified' ? verdict.onchain?.behind.count : undefined;
}

test('finals with a quorum are behind, and no others; a provisional only while it is the newest', async () => {
  const settled = parseDate('2026-07-18');
  const final = '2026-07-18 final 0 print';
  assert.equal(await behind([], () => undefined), 2);
  const gone = ({ accounts }: ReturnType<typeof chained>): void => {
    (accounts.slots.get(settled) as { settled: unknown }).settled = null;
  };
  assert.equal(await behind([final], gone), 3);
  const few = ['2026-07-18 final 0 cosign ada', '2026-07-18 final 0 cosign ben'];
  assert.equal(await behind([final, ...few], gone), 2);
  const provisional = ({ accounts }: ReturnType<typeof chained>): void => {
    (accounts.slots.get(settled) as { provisional: unknown }).provisional = null;
  };
  assert.equal(await behind(['2026-07-18 provisional 0 print'], provisional), 2);
  const corrected = ({ accounts }: ReturnType<typeof chained>): void => {
    (accounts.slots.get(parseDate('2026-07-25')) as { corrected: unknown }).corrected = null;
  };
  assert.equal(await behind(['2026-07-25 corrected 1 print'], corrected), 3);
});

test('co-signers may be added on chain after the entry that says that the print is there', async () => {
  let cut = 0;
  const log = chained({
    entry: (name, { body }) => {
      if (name !== '2026-07-18 final 0 print') return;
      body['cosigners'] = body['cosigners'].slice(0, 2);
      cut = body['cosigners'].length;
    },
  });
  const chain = lookupOf(accountsOf(log));
  const verdict = await judgeSite(siteOf(log.published), {}, { chain });
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.equal(cut, 2);
});
