import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setHash } from '@assay/core/report/cosigner-set';
import { type Quorum, quorumOf } from '@assay/core/round/quorum';
import type { Report } from '@assay/core/report/report';
import { reportHash } from '@assay/core/report/report';
import type { ReportRow } from '@assay/core/view/reports';
import {
  cosignerSet,
  cosignOf,
  dissentOf,
  handOf,
  HANDS,
  recountedLog,
  recountedReport,
} from '../fixture/cosigner-fixture.ts';
import { type SampleLog, sampleReport, sha256 } from '../fixture/fixture.ts';

const final = recountedReport('final');

function quorum(log: SampleLog, report: Report = final): Quorum {
  const row: ReportRow = { seq: 2, hash: reportHash(sha256, report), report, signature: '' };
  return quorumOf(log.views, row);
}

test('quorum: distinct co-signers of the set, and when the last that was needed came', () => {
  const log = recountedLog();
  assert.deepEqual(quorum(log), { required: 2, have: 0, reached_at: null });
  const [first, second, third] = HANDS;
  log.append('cosign/1', cosignOf(final, first), '2026-08-06T13:00:00Z');
  log.append('cosign/1', cosignOf(final, first), '2026-08-06T13:01:00Z');
  assert.deepEqual(quorum(log), { required: 2, have: 1, reached_at: null });
  log.append('cosign/1', cosignOf(final, third), '2026-08-06T13:02:00Z');
  const reached = { required: 2, have: 2, reached_at: '2026-08-06T13:02:00Z' };
  assert.deepEqual(quorum(log), reached);
  log.append('cosign/1', cosignOf(final, second), '2026-08-06T13:03:00Z');
  assert.deepEqual(quorum(log), { ...reached, have: 3 });
});

test('quorum: strangers, dissents and statements on other reports do not count', () => {
  const log = recountedLog();
  log.append('cosign/1', cosignOf(final, handOf('01'.repeat(32))));
  log.append('dissent/1', dissentOf(final, HANDS[0]));
  log.append('cosign/1', cosignOf(recountedReport('void'), HANDS[1]));
  assert.deepEqual(quorum(log), { required: 2, have: 0, reached_at: null });
  // A dissent is not taken back.
  log.append('cosign/1', cosignOf(final, HANDS[0]));
  assert.equal(quorum(log).have, 0);
});

test('quorum: of the set that the report names, whatever set came after it', () => {
  const log = recountedLog();
  const one = cosignerSet({
    number: 1,
    threshold: 1,
    cosigners: [cosignerSet().cosigners[2]] as never,
  });
  log.append('cosigners/1', one, '2026-08-01T00:00:00Z');
  log.append('cosign/1', cosignOf(final, HANDS[0]), '2026-09-01T00:00:00Z');
  assert.equal(quorum(log).have, 1);
  const under = recountedReport('final', {
    cosigners: { set: setHash(sha256, one), required: 1 },
  });
  log.append('cosign/1', cosignOf(under, HANDS[0]), '2026-09-01T00:00:00Z');
  assert.deepEqual(quorum(log, under), { required: 1, have: 0, reached_at: null });
  log.append('cosign/1', cosignOf(under, HANDS[2]), '2026-09-01T00:00:01Z');
  assert.deepEqual(quorum(log, under), {
    required: 1,
    have: 1,
    reached_at: '2026-09-01T00:00:01Z',
  });
});

test('quorum: where nobody is asked it holds from the start; where a set lacks, never', () => {
  const log = recountedLog();
  const nobody = sampleReport('final');
  assert.deepEqual(quorum(log, nobody), {
    required: 0,
    have: 0,
    reached_at: nobody.published_at,
  });
  const asked = sampleReport('final', { cosigners: { set: null, required: 2 } });
  log.append('cosign/1', cosignOf(asked, HANDS[0]));
  assert.deepEqual(quorum(log, asked), { required: 2, have: 0, reached_at: null });
});
