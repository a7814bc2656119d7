import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, FAULT_CODES } from '@assay/core/fault';
import { MemoryViews } from '@assay/core/view/state';
import { parseTime } from '@assay/core/time/time';
import {
  ANCHOR_LIMITS,
  anchorConcerns,
  type AnchorQuestions,
  closeConcerns,
  latenessConcerns,
  lateNumbers,
  recordConcerns,
  roundConcerns,
  unreadableConcerns,
} from '@assay/node/health/concern';
import type { Ledger } from '@assay/node/ledger/ledger';
import type { AnchorRow } from '@assay/core/view/anchors';
import { appendAttested, appendBatch, blockAt } from '../../core/fixture/anchor-fixture.ts';
import { GENESIS, layoffsRule, SampleLog, sampleReport } from '../../core/fixture/fixture.ts';

const PUBLISHED = { size: 3, root: new Uint8Array(32), note: new Uint8Array(0) };
/** Who asks about these batches, all of their calendars that are pending. */
function questions(...open: readonly number[]): AnchorQuestions {
  const asked = ({ calendars }: AnchorRow) => ({
    of: calendars.flatMap(({ uri, state }) => (state === 'pending' ? [uri] : [])),
  });
  return { open: () => open, asked };
}

const LIMITS = { degradedAfterS: 7200, haltedAfterS: 604_800 };

function ledgerOf(log: SampleLog | undefined): Ledger {
  const shown = log?.views ?? new MemoryViews();
  return { shown, published: log && PUBLISHED, blocked: undefined } as unknown as Ledger;
}

function printed(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  const report = sampleReport('final', { log: log.log });
  log.append('report/1', { report, signature: 'ab'.repeat(64) });
  return log;
}

test('concerns: a log without entries is halted, and says only that', () => {
  const empty = ledgerOf(undefined);
  assert.deepEqual(
    recordConcerns(empty).map(({ level }) => level),
    ['halted'],
  );
  assert.deepEqual(latenessConcerns(empty, 0, LIMITS), []);
  assert.deepEqual(closeConcerns(empty, 0, LIMITS), []);
});

test('concerns: why a record is blocked, without a detail of the machine', () => {
  for (const code of FAULT_CODES) {
    const blocked = new Fault(code, 'IO error', {
      at: '/var/lib/assay/ledger/000005.log',
      expected: 'LOCK',
      found: 'No space left on device',
    });
    for (const published of [undefined, PUBLISHED]) {
      const ledger = { published, blocked } as unknown as Ledger;
      const [concern, ...more] = recordConcerns(ledger);
      assert.deepEqual(more, []);
      const isOver = published === undefined || code === 'ledger_corrupt';
      const level = isOver ? 'halted' : 'degraded';
      assert.equal(concern?.level, level, code);
      const reason = concern?.reason ?? '';
      assert.match(reason, /^(The record cannot be read|Nothing is written): [a-z][^/:]*\.$/, code);
      assert.doesNotMatch(reason, /IO error|var|LOCK|space left|undefined/, code);
    }
  }
});

test('concerns: an entry that is damaged is named, and how far the entries have been read again', () => {
  const ledger = (blocked: Fault, proof = {}): Ledger =>
    ({ published: PUBLISHED, blocked, proof }) as unknown as Ledger;
  const damaged = new Fault('ledger_corrupt', 'ledger', { at: 'entry 77' });
  assert.deepEqual(recordConcerns(ledger(damaged)), [
    {
      level: 'halted',
      reason:
        'Nothing is written: entry 77 is damaged or missing, and assay restore brings it back from a copy.',
    },
  ]);
  const unproven = new Fault('unproven', 'ledger');
  assert.deepEqual(recordConcerns(ledger(unproven, { done: 300, size: 701 })), [
    {
      level: 'degraded',
      reason: 'Nothing is signed yet: 300 of 701 entries have been read again.',
    },
  ]);
});

test('concerns: rounds that fail, each in a sentence', () => {
  assert.deepEqual(roundConcerns(new Map()), []);
  assert.deepEqual(roundConcerns(new Map([['LAYOFFS', 'no answer']])), [
    { level: 'degraded', reason: 'The newest round of LAYOFFS failed: no answer.' },
  ]);
});

test('concerns: an index is late from its limit on, and a service that prints nothing is halted', () => {
  const ledger = ledgerOf(printed());
  // The week after the printed one is released on 2026-08-06, 12:30 UTC.
  const release = parseTime('2026-08-06T12:30:00Z');
  const levels = (now: number) => latenessConcerns(ledger, now, LIMITS).map(({ level }) => level);
  assert.deepEqual(levels(release + 7200), []);
  assert.deepEqual(
    [7200, 7201, 604_801].map((after) => lateNumbers(ledger, release + after, LIMITS)),
    [0, 1, 1],
  );
  assert.deepEqual(latenessConcerns(ledger, release + 7201, LIMITS), [
    {
      level: 'degraded',
      reason: 'LAYOFFS 2026-08-01 was due at 2026-08-06T12:30:00Z and has no report.',
    },
  ]);
  assert.deepEqual(levels(release + 604_800), ['degraded']);
  assert.deepEqual(levels(release + 604_801), ['degraded', 'halted']);
});

test('concerns: a day without its Close, once the log has had one', () => {
  const log = printed();
  assert.deepEqual(closeConcerns(ledgerOf(log), parseTime('2027-01-01T00:00:00Z'), LIMITS), []);
  const item = { ticker: 'LAYOFFS', period: '2026-07-25', report: '11'.repeat(32), value: '1' };
  log.append('close/1', {
    content: { day: '2026-08-01', items: [item], files: [] },
    version: 0,
    supersedes: null,
    signature: 'ab'.repeat(64),
  });
  const at = (time: string) => closeConcerns(ledgerOf(log), parseTime(time), LIMITS);
  assert.deepEqual(at('2026-08-02T23:59:59Z'), []);
  assert.deepEqual(at('2026-08-03T01:59:59Z'), []);
  assert.deepEqual(at('2026-08-03T02:00:00Z'), [
    { level: 'degraded', reason: 'The Close of 2026-08-02 is missing.' },
  ]);
});

test('concerns: a record that no batch holds for over an hour', () => {
  const log = printed();
  const written = parseTime('2026-07-30T12:00:00Z');
  const at = (now: number): readonly string[] =>
    anchorConcerns(ledgerOf(log), now, questions()).map(
      ({ level, reason }) => `${level}: ${reason}`,
    );
  assert.deepEqual(at(written + 3600), []);
  assert.deepEqual(at(written + 3601), [
    'degraded: The report of entry 2, written at 2026-07-30T12:00:00Z, has no stamp yet.',
  ]);
  assert.deepEqual(anchorConcerns(ledgerOf(undefined), written + 9999, questions()), []);
  appendBatch(log);
  assert.deepEqual(at(written + 3601), []);
  log.append('note/1', { text: 'No stamp is asked for this.' });
  assert.deepEqual(at(written + 9999), []);
});

test('concerns: the newest batch that no block holds for over three days', () => {
  const log = printed();
  const stamped = parseTime('2026-08-22T00:10:00Z');
  const day = 86_400;
  const open: number[] = [0];
  const at = (now: number): readonly string[] =>
    anchorConcerns(ledgerOf(log), now, questions(...open), ANCHOR_LIMITS).map(
      ({ reason }) => reason,
    );
  const calendars = [
    { uri: 'http://a', state: 'expired' },
    { uri: 'http://b', state: 'pending' },
    { uri: 'http://c', state: 'pending' },
  ] as const;
  appendBatch(log, undefined, { calendars });
  assert.deepEqual(at(stamped + 3 * day), []);
  const first =
    'Batch 0, stamped at 2026-08-22T00:10:00Z, is in no Bitcoin block yet: asked of http://b, http://c.';
  assert.deepEqual(at(stamped + 3 * day + 1), [first]);
  appendBatch(log);
  appendAttested(log, 1, [blockAt(9)]);
  assert.deepEqual(at(stamped + 3 * day + 1), [first], 'an older one that still waits');
  appendBatch(log, undefined, { calendars: [{ uri: 'http://a', state: 'expired' }] });
  assert.deepEqual(at(stamped + 3 * day + 1), [
    'Batch 2, stamped at 2026-08-22T00:10:00Z, is in no Bitcoin block yet: every calendar was given up, and is asked once a week.',
  ]);
  appendAttested(log, 2, [blockAt(12)]);
  assert.deepEqual(at(stamped + 99 * day), [first], 'an older one that waits is never forgotten');
  appendAttested(log, 0, [blockAt(12)]);
  assert.deepEqual(at(stamped + 9 * day), []);
});

test('concerns: a batch that waits is reported until a block holds it, whatever its age', () => {
  const log = printed();
  appendBatch(log);
  for (const time of ['2026-08-26T00:00:00Z', '2026-09-23T00:00:00Z', '2027-09-23T00:00:00Z']) {
    const found = anchorConcerns(ledgerOf(log), parseTime(time), questions(0));
    assert.equal(found.length, 1, time);
  }
});

test('concerns: a batch given up by all is over when a later one is in a block, and not before', () => {
  const log = printed();
  const at = () =>
    anchorConcerns(ledgerOf(log), parseTime('2027-01-01T00:00:00Z'), questions()).map(
      ({ reason }) => reason.slice(0, 8),
    );
  appendBatch(log, undefined, { calendars: [{ uri: 'http://a', state: 'expired' }] });
  assert.deepEqual(at(), ['Batch 0,']);
  appendBatch(log);
  appendAttested(log, 1, [blockAt(9)]);
  assert.deepEqual(at(), []);
});

test('concerns: the texts name nobody as asked who is not', () => {
  const log = printed();
  appendBatch(log);
  const nobody = { nobody: 'no source of Bitcoin headers has answered' };
  const asking = { open: () => [0], asked: () => nobody };
  const [concern] = anchorConcerns(ledgerOf(log), parseTime('2026-09-01T00:00:00Z'), asking);
  assert.match(
    concern?.reason ?? '',
    /in no Bitcoin block yet: not asked: no source of Bitcoin headers has answered\.$/,
  );
});

test('concerns: stamps that cannot be read, the first five by number', () => {
  const words = (count: number): readonly string[] =>
    unreadableConcerns(Array.from({ length: count }, (_, i) => i + 1)).map(({ reason }) => reason);
  assert.deepEqual(words(0), []);
  assert.deepEqual(words(1), ['The stamp of batch 1 cannot be read: nobody is asked about it.']);
  assert.deepEqual(words(7), [
    'The stamps of batches 1, 2, 3, 4, 5 and 2 more cannot be read: nobody is asked about them.',
  ]);
});
