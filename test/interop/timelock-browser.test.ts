import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vectors } from '../src/core/fixture/fixture.ts';
import {
  SEALED,
  type SealedVector,
  SIGNATURES,
  type SignatureVector,
  vectorChain,
  vectorSignature,
} from '../src/core/timelock/timelock-vectors.ts';
import { findChromium, withBrowserPage } from './browser.ts';

interface Case {
  readonly name: string;
  readonly signature: string;
  readonly sealed: string;
}

/** Runs in the page: what opens of the sealed messages, and whether quicknet's round verifies. */
async function openAll(given: {
  readonly cases: readonly Case[];
  readonly round: number;
  readonly signature: string;
}): Promise<{ opened: readonly (string | null)[]; verified: readonly boolean[] }> {
  const { formatHex, parseHex } = await import('@assay/core/bytes/hex');
  const { QUICKNET } = await import('@assay/core/timelock/beacon-chain');
  const { verifyBeacon } = await import('@assay/core/timelock/beacon-signature');
  const { openSealed } = await import('@assay/core/timelock/sealed');
  const opened = given.cases.map(({ signature, sealed }) => {
    const message = openSealed(parseHex(signature), parseHex(sealed));
    return message === undefined ? null : formatHex(message);
  });
  const bytes = parseHex(given.signature);
  const verified = [given.round, given.round + 1].map((each) =>
    verifyBeacon(QUICKNET, each, bytes),
  );
  return { opened, verified };
}

test('Chromium opens and refuses what Node does', { timeout: 120_000 }, async (t) => {
  const path = findChromium();
  if (path === undefined) return t.skip('Chromium is not here');
  const refused =
    vectors<readonly Pick<SealedVector & SignatureVector, 'name' | 'signature' | 'sealed'>[]>(
      'timelock/refused-sealed',
    );
  const opening = SEALED.map(({ name, chain, round, sealed }) => {
    return { name, sealed, signature: vectorSignature(chain, round) };
  });
  const [first] = SIGNATURES;
  assert.ok(first !== undefined && vectorChain(first.chain).beacon_id === 'quicknet');
  await withBrowserPage(path, new Map(), async ({ page, errors }) => {
    const { round, signature } = first;
    const cases = [...opening, ...refused];
    const { opened, verified } = await page.evaluate(openAll, { cases, round, signature });
    assert.deepEqual(errors, []);
    assert.deepEqual(opened, [...SEALED.map(({ message }) => message), ...refused.map(() => null)]);
    assert.deepEqual(verified, [true, false]);
  });
});
