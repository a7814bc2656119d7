import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changelogFeed } from '@assay/node/api/changelog/changelog-feed';
import { SHIPS } from '@assay/node/api/changelog/ships';
import type { MemoryViews } from '@assay/core/view/state';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { GENESIS, SampleLog } from '../../../core/fixture/fixture.ts';

const EVENT = {
  id: '0d9c1f2e-07d3-84b5-8c6d-1a2b3c4d5e6f',
  kind: 'open',
  symbol: 'SOL',
  name: 'Sol & "Luna" <b>\u0000',
  // Later than each ship note, so that it is the first of the items.
  opened_at: '2099-11-24T10:15:00Z',
  score_at_open: 72,
  peak_score: 81,
} as const;

const feed = (change: object = {}): string =>
  changelogFeed({
    ships: SHIPS,
    events: [EVENT],
    state: undefined,
    sha256: nodeSha256,
    publicUrl: 'https://assay.example',
    ...change,
  });

/** The state of a log of its own. */
function layoffsLog(origin = 'one'): MemoryViews {
  const log = new SampleLog();
  log.append('genesis/1', { ...GENESIS, origin: `development/${origin}` });
  return log.views;
}

const all = (text: string, name: string): readonly string[] =>
  [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, inner]) => inner ?? '');

test('ship notes: numbered from 1, the newest first, and each has a day', () => {
  assert.deepEqual(
    SHIPS.map(({ pr }) => pr),
    SHIPS.map((_, i) => SHIPS.length - i),
  );
  for (const [i, { date, title, summary }] of SHIPS.entries()) {
    assert.match(date, /^20\d\d-[01]\d-[0-3]\d$/);
    assert.ok(date <= (SHIPS[i - 1]?.date ?? date));
    assert.ok(title.length > 0 && summary.endsWith('.'), title);
  }
});

test('changelog feed: an item for each note and each event, the newest first, under ids that stay', () => {
  const text = feed();
  const ids = all(text, 'id');
  assert.equal(ids.length, 1 + 1 + SHIPS.length);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => /^urn:uuid:[0-9a-f-]{36}$/.test(id)));
  const updated = all(text, 'updated');
  assert.equal(updated[0], EVENT.opened_at);
  assert.deepEqual(updated.slice(1), updated.slice(1).toSorted().reverse());
  assert.deepEqual(all(feed({ publicUrl: null }), 'id'), ids);
  assert.equal(feed(), text);
});

test('changelog feed: what one publisher lists has other ids than what another does', () => {
  const [one, other] = [layoffsLog(), layoffsLog('another')].map((state) =>
    all(feed({ state }), 'id'),
  );
  assert.notEqual(one?.[0], other?.[0], 'the feed itself');
  assert.notEqual(
    one?.[1],
    other?.[1],
    'the event, whose id follows from its asset and its time alone',
  );
  assert.deepEqual(one?.slice(2), other?.slice(2), 'the notes are about the software');
});

test('changelog feed: names are text, whatever is in them', () => {
  const text = feed();
  assert.ok(text.includes('Sol &amp; &quot;Luna&quot; &lt;b&gt;'));
  assert.ok(!text.includes('\u0000'));
  assert.ok(text.includes('href="https://assay.example/v1/asset/SOL"'));
});

test('changelog feed: one with nothing in it is still a feed', () => {
  const text = feed({ ships: [], events: [] });
  assert.deepEqual(all(text, 'updated'), ['1970-01-01T00:00:00Z']);
});
