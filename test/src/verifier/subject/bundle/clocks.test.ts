import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bundle } from '@assay/core/proof/bundle';
import type { HashHex } from '@assay/core/hash/hash';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { cosignsOf } from '@assay/core/view/cosigns';
import { formatWire } from '@assay/core/wire/wire';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { NumberFacts, Verdict } from '@assay/verifier/verdict/verdict';
import { CHECKPOINTS } from '../../../node/ledger/ledger-fixture.ts';
import {
  DAY,
  FIRST,
  LateWorld,
  PUBLISHED,
  REVISED,
  VOID_FROM,
} from '../../../node/cosign/late-world.ts';
import { WEEK } from '../../../node/cosign/cosigner-fixture.ts';
import { CLAIMS_RULE } from '../../../node/fixture/round-fixture.ts';
import {
  codesOf,
  judge,
  proven,
  publish,
  type Published,
  siteOf,
  siteReader,
} from '../../fixture/published.ts';

async function publishedBy({ world }: LateWorld): Promise<Published> {
  const { place, ledger, blobs } = world;
  const entries: Uint8Array[] = [];
  for await (const entry of place.store.entries(0, ledger.nextSeq))
    entries.push(new Uint8Array(entry));
  const kept = new Map<HashHex, Uint8Array>();
  for await (const each of blobs.list()) kept.set(each, (await blobs.get(each)) as Uint8Array);
  return publish(entries, kept, CHECKPOINTS);
}

async function bundleOf(log: Published): Promise<Bundle> {
  const reader = siteReader(siteOf(log));
  const choice = { index: CLAIMS_RULE.ticker, period: WEEK };
  const bytes = await makeBundle(reader, choice, nodeSha256);
  return JSON.parse(parseUtf8(bytes)) as Bundle;
}

const verdictOf = (bundle: Bundle): Promise<Verdict> =>
  judge({ kind: 'bundle', bytes: formatWire(bundle) });

function number(verdict: Verdict): NumberFacts {
  assert.ok(verdict.outcome === 'verified' && verdict.number !== null, JSON.stringify(verdict));
  return verdict.number;
}

const named = ({ not_checked: reservations }: Verdict): string =>
  reservations.flatMap((each) => (each.class === 'calendar' ? [each.what] : [])).join('; ');

const without = (bundle: Bundle, seqs: readonly number[]): Bundle => ({
  ...bundle,
  entries: bundle.entries.filter(({ seq }) => !seqs.includes(seq)),
});

const kindOf = ({ bytes }: Bundle['genesis']): string =>
  (JSON.parse(Buffer.from(bytes, 'base64').toString()) as { kind: string }).kind;

/** The final of a late number, its bundle, and the entries that its clocks rest on. */
async function lateFinal(): Promise<{
  readonly log: Published;
  readonly bundle: Bundle;
  readonly evidence: readonly number[];
  /** A sighting that decides nothing. */
  readonly third: number;
}> {
  const late = await LateWorld.open();
  late.show(FIRST);
  late.at(PUBLISHED + 900);
  await late.poll();
  const early = await late.world.round();
  await late.words(early);
  late.show(REVISED);
  late.at(PUBLISHED + 900 + CLAIMS_RULE.revision.freeze_after_s);
  const final = await late.world.round();
  assert.deepEqual([final?.report.status, final?.report.value], ['final', '197000']);
  await late.words(final);
  const log = await publishedBy(late);
  const { tip } = late.world.ledger;
  const hash = early?.hash as HashHex;
  const words = cosignsOf(tip, hash).map(({ seq }) => seq);
  const evidence = [early?.seq ?? 0, ...words.slice(0, 2)];
  return { log, bundle: await bundleOf(log), evidence, third: words[2] ?? 0 };
}

test('bundle clocks: a late final is verified alone, with the statements that its clocks rest on', async () => {
  const { bundle, evidence } = await lateFinal();
  for (const seq of evidence)
    assert.ok(
      bundle.entries.some((each) => each.seq === seq),
      `${seq}`,
    );
  const verdict = await verdictOf(bundle);
  const { clocks, settled, quorum } = number(verdict);
  assert.deepEqual([clocks, settled, quorum.have], ['from_publication', true, 3]);
  assert.match(named(verdict), /its clocks run from 2026-08-20T12:45:00Z/);
  assert.match(named(verdict), /are the first of the log/);
});

test('bundle clocks: a late final without them is no first print that a bundle shows', async () => {
  const { bundle, evidence } = await lateFinal();
  const bare = await verdictOf(without(bundle, evidence));
  assert.ok(codesOf(bare).includes('report_not_reproduced'), JSON.stringify(codesOf(bare)));
  // One of a quorum is none.
  const one = await verdictOf(without(bundle, evidence.slice(2)));
  assert.ok(codesOf(one).includes('report_not_reproduced'));
});

test('bundle clocks: more statements than the clocks rest on would be shown as if they were checked for it', async () => {
  const { log, bundle, third } = await lateFinal();
  const more = [...bundle.entries, proven(log, third)].sort((a, b) => a.seq - b.seq);
  assert.equal(kindOf(proven(log, third)), 'cosign/1');
  const verdict = await verdictOf({ ...bundle, entries: more });
  assert.deepEqual(codesOf(verdict), ['bundle_malformed']);
});

test('bundle clocks: a provisional and a void of a late number rest on nothing, and the verdict says so', async () => {
  const late = await LateWorld.open();
  late.show(FIRST);
  late.at(PUBLISHED + 900);
  await late.world.round();
  const provisional = await verdictOf(await bundleOf(await publishedBy(late)));
  assert.equal(number(provisional).clocks, 'not_shown');
  assert.match(named(provisional), /whether the clocks of LAYOFFS of 2026-07-25 run from a late/);
  late.at(VOID_FROM);
  await late.world.round();
  const empty = await verdictOf(await bundleOf(await publishedBy(late)));
  assert.deepEqual([number(empty).status, number(empty).clocks], ['void', 'not_shown']);
});

test('bundle clocks: a number in time needs nothing, and one that was in time and is finished late shows that', async () => {
  const punctual = async (finishedAt: number): Promise<Verdict> => {
    const late = await LateWorld.open([]);
    late.show(FIRST);
    late.world.at('2026-07-30T12:31:00Z');
    await late.world.round();
    late.at(finishedAt);
    const final = await late.world.round();
    assert.equal(final?.report.status, 'final');
    return verdictOf(await bundleOf(await publishedBy(late)));
  };
  const soon = await punctual(PUBLISHED - 20 * DAY);
  assert.equal(number(soon).clocks, 'scheduled');
  assert.doesNotMatch(named(soon), /clocks/);
  const later = await punctual(PUBLISHED);
  assert.equal(number(later).clocks, 'scheduled');
  assert.doesNotMatch(named(later), /clocks/);
});
