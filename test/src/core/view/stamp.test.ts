import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { parseNote } from '@assay/core/log/note';
import { reportHash } from '@assay/core/report/report';
import { checkpointDigest, STAMPED, stampOf } from '@assay/core/view/stamp';
import type { EventOpen } from '@assay/core/kind/event';
import type { Outcome } from '@assay/core/kind/outcome';
import { recordDigest } from '@assay/core/kind/record-digest';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { FoldedEntry } from '@assay/core/view/view';
import { ANCHORS, HEADER } from '../fixture/anchor-fixture.ts';
import { CLOSES } from '../fixture/close-fixture.ts';
import {
  GENESIS,
  layoffsRule,
  sampleReport,
  sha256,
  SOME_HASH,
  vectors,
} from '../fixture/fixture.ts';
import { TerminalMarket } from '../terminal/terminal-log.ts';
import { SIGNATURE } from './small-log.ts';

const ORIGIN = GENESIS['origin'] as string;

function folded(kind: string, body: unknown): FoldedEntry {
  return { kind, body, seq: 7, at: '2026-08-22T00:00:00Z', log: SOME_HASH } as FoldedEntry;
}

test('stamp: a report by its hash, a Close by that of its content, other records by their bodies, nothing else', () => {
  const report = sampleReport('final');
  assert.deepEqual(stampOf(folded('report/1', { report, signature: SIGNATURE }), sha256), {
    of: 'report',
    digest: reportHash(sha256, report),
  });
  for (const { entry, hash } of CLOSES) {
    assert.deepEqual(stampOf(folded('close/1', entry), sha256), { of: 'close', digest: hash });
  }
  const { drafts } = new TerminalMarket(2);
  for (const [kind, of] of [
    ['event/1', 'event'],
    ['receipt/1', 'receipt'],
  ] as const) {
    const body = drafts.find((each) => each.kind === kind)?.body as EventOpen;
    const digest = recordDigest(sha256, body);
    assert.deepEqual(stampOf(folded(kind, body), sha256), { of, digest });
  }
  const [question, , taken, closed, , outcome] =
    vectors<readonly { readonly kind: string; readonly body: Outcome }[]>('referee/entries');
  for (const [of, entry] of [
    ['question', question],
    ['answers', closed],
    ['outcome', outcome],
  ] as const) {
    const { kind, body } = entry as NonNullable<typeof entry>;
    const digest = recordDigest(sha256, body);
    assert.deepEqual(stampOf(folded(kind, body), sha256), { of, digest });
  }
  const others = drafts
    .filter(({ kind }) => kind !== 'event/1' && kind !== 'receipt/1')
    .map(({ kind, body }) => [kind, body] as const);
  for (const [kind, body] of [
    ...others,
    ['genesis/1', GENESIS],
    ['rule/1', { rule: layoffsRule() }],
    ['note/1', { text: 'x' }],
    ['answers/1', taken?.body],
    ['beacon/1', { height: 1, header: HEADER }],
    ['anchor/1', ANCHORS[0]?.body],
  ] as const) {
    assert.equal(stampOf(folded(kind, body), sha256), undefined, kind);
  }
  assert.deepEqual([...STAMPED].sort(), [
    'answers',
    'checkpoint',
    'close',
    'event',
    'outcome',
    'question',
    'receipt',
    'report',
  ]);
});

test('stamp: of a checkpoint, its lines without the signatures', () => {
  for (const { body, leaves } of ANCHORS) {
    const [first] = leaves;
    assert.equal(first?.of, 'checkpoint');
    assert.equal(checkpointDigest(sha256, ORIGIN, body.to, body.root), first?.digest);
  }
  const { note: signed } = vectors<{ readonly note: string }>('checkpoint/signed');
  const note = parseNote(formatUtf8(signed));
  const { origin, size, root } = parseCheckpoint(note.text);
  assert.equal(
    checkpointDigest(sha256, origin, size, hashHex(root)),
    hashHex(contentHash(sha256, formatUtf8(note.text))),
  );
});
