import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBase64 } from '@assay/core/bytes/base64';
import { formatEvidence } from '@assay/core/proof/evidence';
import type { Sha256 } from '@assay/core/hash/hash';
import { reportsOf } from '@assay/core/view/reports';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { signedPrint } from '@assay/node/recounter/poll/signed-print';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { PublisherPrints } from '@assay/verifier/watch/publisher-prints';
import { Forge, type LooseDraft } from '../fixture/forge.ts';
import { ENVIRONMENT, type Published } from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';
import { KEY_0_PERIOD, withFinals as withOthers } from '../fixture/two-key-prints.ts';

const log = await sampleLog();

/** The young log with so many more finals of its one period, each in other words. */
function withFinals(more: number): Published {
  const forge = new Forge(log, 8);
  const { draft } = forge.report('final');
  const { at } = forge.drafts.at(-1) as LooseDraft;
  for (let i = 0; i < more; i += 1) {
    const other = structuredClone(draft);
    other.body['report'].published_at = `2025-05-02T00:00:${String(i).padStart(2, '0')}Z`;
    forge.sign(other);
    forge.drafts.push({ ...other, at });
  }
  return forge.publish();
}

const genesisOf = ({ entries }: Published): string => formatBase64(entries[0] as Uint8Array);
const signed = (): number => 0;

test('two signed finals of one period: evidence against the publisher, reported at each poll', async () => {
  const published = withFinals(1);
  const of = { state: published.views, owedSince: signed };
  const prints = new PublisherPrints();
  const [found, ...others] = prints.take(of, genesisOf(published), nodeSha256);
  assert.equal(found?.code, 'print_contradicts');
  assert.ok(found.evidence !== null);
  assert.equal((await checkEvidence(formatEvidence(found.evidence), ENVIRONMENT)).proven, true);
  assert.deepEqual(others, []);
  assert.deepEqual(prints.take(of, genesisOf(published), nodeSha256), [found]);
});

test('a report that the publisher has not signed shows nothing about it, until it is known to have signed it', () => {
  const published = withFinals(1);
  const newest = published.entries.length - 1;
  const genesis = genesisOf(published);
  const prints = new PublisherPrints();
  const before = (seq: number): number | undefined => (seq === newest ? undefined : 0);
  assert.deepEqual(
    prints.take({ state: published.views, owedSince: before }, genesis, nodeSha256),
    [],
  );
  const after = { state: published.views, owedSince: signed };
  assert.equal(prints.take(after, genesis, nodeSha256).length, 1);
});

test('two finals of one period by two keys of the publisher: reported, and without evidence', () => {
  const of = (published: Published): readonly (readonly [string, unknown])[] => {
    const { views: state } = published;
    const rows = reportsOf(state, ...KEY_0_PERIOD);
    const good = new Set(
      rows.filter((row) => signedPrint(state, row, nodeSha256)).map(({ seq }) => seq),
    );
    const owedSince = (seq: number): number | undefined => (good.has(seq) ? 0 : undefined);
    return new PublisherPrints()
      .take({ state, owedSince }, genesisOf(published), nodeSha256)
      .map(({ code, evidence }) => [code, evidence]);
  };
  assert.deepEqual(of(withOthers({ behind: 0, key: 1, more: 1 })), [['print_contradicts', null]]);
  assert.deepEqual(of(withOthers({ behind: 1, key: 2, more: 1 })), [['print_contradicts', null]]);
  assert.deepEqual(of(withOthers({ behind: 0, key: 1, more: 0 })), [], 'the same print again');
  assert.deepEqual(of(withOthers({ behind: 0, key: 0, more: 1 })), [], 'a key that was replaced');
  assert.deepEqual(of(withOthers({ behind: 1, key: 1, more: 1 })), [], 'a key that was revoked');
});

test('many reports of one period cost a print each, and nothing at the next poll', () => {
  const hashesOf = (more: number): readonly number[] => {
    let hashes = 0;
    const sha256: Sha256 = (...parts) => {
      hashes += 1;
      return nodeSha256(...parts);
    };
    const published = withFinals(more);
    const of = { state: published.views, owedSince: signed };
    const prints = new PublisherPrints();
    assert.equal(prints.take(of, genesisOf(published), sha256).length, more);
    const first = hashes;
    prints.take(of, genesisOf(published), sha256);
    return [first, hashes - first];
  };
  const [few, again] = hashesOf(10);
  const [many] = hashesOf(50);
  const each = ((many ?? 0) - (few ?? 0)) / 40;
  assert.ok(each <= 3, `${each} hashes for each report`);
  assert.equal(again, 0);
});

test('prints whose rows could not be read are compared by the next call, and found once', () => {
  const published = withFinals(3);
  const genesis = genesisOf(published);
  const whole = new PublisherPrints();
  const { views } = published;
  const expected = whole.take({ state: views, owedSince: signed }, genesis, nodeSha256);
  let left = Number.POSITIVE_INFINITY;
  let reads = 0;
  const read = <T>(of: () => T): T => {
    reads += 1;
    if ((left -= 1) < 0) throw new Error('a read failed');
    return of();
  };
  const state: ViewState = {
    get: (table, key) => read(() => views.get(table, key)),
    list: (table) => read(() => views.list(table)),
    descend: (table, below) => read(() => views.descend(table, below)),
  };
  const of = { state, owedSince: signed };
  new PublisherPrints().take(of, genesis, nodeSha256);
  const all = reads;
  for (let most = 0; most < all; most += 1) {
    const prints = new PublisherPrints();
    left = most;
    assert.throws(() => prints.take(of, genesis, nodeSha256), /a read failed/);
    left = Number.POSITIVE_INFINITY;
    assert.deepEqual(prints.take(of, genesis, nodeSha256), expected);
  }
});

test('what was found in prints stays while the log is walked anew, and is not found twice', () => {
  const published = withFinals(2);
  const genesis = genesisOf(published);
  const prints = new PublisherPrints();
  const { views } = published;
  const found = prints.take({ state: views, owedSince: signed }, genesis, nodeSha256);
  assert.equal(found.length, 2);
  const begun = { state: new MemoryViews(), owedSince: signed };
  assert.deepEqual(prints.take(begun, genesis, nodeSha256), found);
  const anew: ViewState = {
    get: views.get.bind(views),
    list: views.list.bind(views),
    descend: views.descend.bind(views),
  };
  assert.deepEqual(prints.take({ state: anew, owedSince: signed }, genesis, nodeSha256), found);
});
