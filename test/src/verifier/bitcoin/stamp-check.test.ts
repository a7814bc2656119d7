import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBase64, parseBase64 } from '@assay/core/bytes/base64';
import { parseEntry } from '@assay/core/log/entry';
import type { BundleStamp } from '@assay/core/proof/bundle';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { anchoredLog, lookupOf, PROMPT, SILENT } from '../fixture/anchored-log.ts';
import { anchoredBundle, HELD } from '../fixture/anchored-misdeeds.ts';
import { assertFound, flip, places } from '../fixture/flip.ts';
import { type Loose, wireBytes } from '../fixture/forge.ts';
import { codesOf, judge } from '../fixture/published.ts';

const log = await anchoredLog();
const held = await anchoredBundle(HELD);
const pending = await anchoredBundle('2026-07-18');

function judged(bundle: unknown, headers?: HeaderLookup): Promise<Verdict> {
  const options = headers === undefined ? {} : { headers };
  return judge({ kind: 'bundle', bytes: wireBytes(bundle) }, {}, options);
}

function words({ not_checked: items }: Verdict): string {
  return items.map(({ what, why }) => `${what}: ${why}`).join('\n');
}

function window(verdict: Verdict): unknown {
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  const [only] = (verdict.outcome === 'verified' ? verdict.bitcoin?.windows : []) ?? [];
  const { seq, after, before, pending: why } = only ?? {};
  return [seq, after?.height, after?.trust, before?.height, before?.trust, why];
}

test('a bundle names the two blocks of its report', async () => {
  assert.deepEqual(window(await judged(held)), [24, 2091, 'work', 2164, 'work', null]);
  const vouched = await judged(held, lookupOf(log));
  assert.deepEqual(window(vouched), [24, 2091, 'headers', 2164, 'headers', null]);
});

test('pending: the calendars that owe a block, and nothing before', async () => {
  assert.notEqual(pending.ots, null);
  const verdict = await judged(pending);
  const owed = `the publisher says that ${PROMPT} and ${SILENT} have promised a block (not asked)`;
  assert.deepEqual(window(verdict), [32, 2197, 'work', undefined, undefined, owed]);
  assert.match(
    words(verdict),
    /that a development block holds the stamp of the report: the publisher says/,
  );
});

test('a bundle without a proof is verified, and says what it lacks', async () => {
  const entries = held.entries.filter(
    ({ bytes }) => parseEntry(parseBase64(bytes)).kind !== 'anchor/1',
  );
  const verdict = await judged({ ...held, entries, ots: null, headers: [] });
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.match(words(verdict), /before which development block the report was written/);
});

test('headers given do not replace those of the bundle, and differ from others', async () => {
  const bare = { ...held, headers: [] };
  assert.deepEqual(codesOf(await judged(bare)), ['bundle_incomplete']);
  assert.deepEqual(codesOf(await judged(bare, lookupOf(log))), ['bundle_incomplete']);
  const [own] = held.headers;
  const headers = lookupOf(log, {
    header: (height) =>
      Promise.resolve(log.chain.block(height === own?.height ? 5 : height)?.header),
  });
  assert.deepEqual(codesOf(await judged(held, headers)), ['header_differs']);
});

test('one bit of the proof or of a header: found', async () => {
  const stamp = held.ots as BundleStamp;
  const ots = parseBase64(stamp.checkpoint);
  for (const { at, bit } of places(ots.length, 5)) {
    const checkpoint = formatBase64(flip(ots, at, bit));
    const verdict = await judged({ ...held, ots: { ...stamp, checkpoint } });
    assertFound(verdict, `byte ${at}, bit ${bit}`);
  }
  const [first] = held.headers;
  const headers = new Uint8Array(Buffer.from(first?.headers ?? '', 'hex'));
  for (const { at, bit } of places(headers.length, 5)) {
    const changed = Buffer.from(flip(headers, at, bit)).toString('hex');
    const bundle: Loose = { ...held, headers: [{ ...first, headers: changed }] };
    const verdict = await judged(bundle);
    assertFound(verdict, `byte ${at}, bit ${bit}`);
  }
});
