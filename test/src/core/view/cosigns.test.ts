import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportHash } from '@assay/core/report/report';
import { cosignsOf, dissentsOf, statementEntryOf } from '@assay/core/view/cosigns';
import {
  cosignOf,
  dissentOf,
  HANDS,
  recountedLog,
  recountedReport,
} from '../fixture/cosigner-fixture.ts';
import { sha256 } from '../fixture/fixture.ts';

const AT = '2026-07-30T12:00:00Z';
const final = recountedReport('final');
const hash = reportHash(sha256, final);

test('co-signers: what they say of each report, in the order of the log', () => {
  const log = recountedLog();
  const other = recountedReport('void');
  const [first, second, third] = HANDS;
  const words = [
    cosignOf(final, third),
    dissentOf(final, first),
    cosignOf(final, second),
    cosignOf(other, first),
  ];
  for (const word of words) {
    log.append('dissent_signature' in word ? 'dissent/1' : 'cosign/1', word);
  }
  assert.deepEqual(cosignsOf(log.views, hash), [
    { ...words[0], seq: 2, at: AT },
    { ...words[2], seq: 4, at: AT },
  ]);
  assert.deepEqual(dissentsOf(log.views, hash), [{ ...words[1], seq: 3, at: AT }]);
  assert.deepEqual(
    cosignsOf(log.views, reportHash(sha256, other)).map(({ seq }) => seq),
    [5],
  );
  assert.deepEqual(dissentsOf(log.views, reportHash(sha256, other)), []);
  assert.deepEqual(
    HANDS.map(({ key }) => statementEntryOf(log.views, hash, key)),
    [3, 4, 2],
  );
});

test('co-signers: the first word of each stays, whatever follows', () => {
  const [first, second] = HANDS;
  const log = recountedLog();
  log.append('cosign/1', cosignOf(final, first));
  log.append('dissent/1', dissentOf(final, first));
  log.append('cosign/1', cosignOf(final, first, { signed_at: '2026-08-07T00:00:00Z' }));
  log.append('dissent/1', dissentOf(final, second));
  log.append('cosign/1', cosignOf(final, second));
  const seqs = (rows: readonly { readonly seq: number }[]): readonly number[] =>
    rows.map(({ seq }) => seq);
  assert.deepEqual(seqs(cosignsOf(log.views, hash)), [2]);
  assert.deepEqual(seqs(dissentsOf(log.views, hash)), [5]);
  assert.equal(statementEntryOf(log.views, hash, first.key), 2);
  assert.equal(statementEntryOf(log.views, hash, second.key), 5);
  assert.equal(statementEntryOf(log.views, hash, HANDS[2].key), undefined);
});
