import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cosignPayloads } from '@assay/core/answer/cosign';
import { type Report, reportHash } from '@assay/core/report/report';
import type { ReportRow } from '@assay/core/view/reports';
import {
  cosignOf,
  dissentOf,
  handOf,
  HANDS,
  recountedLog,
  recountedReport,
} from '../fixture/cosigner-fixture.ts';
import { sampleReport, sha256 } from '../fixture/fixture.ts';

const row = (report: Report): ReportRow => ({
  seq: 2,
  hash: reportHash(sha256, report),
  report,
  signature: '',
});

test("co-signers' words: by name, with the signature that the chain checks", () => {
  const final = recountedReport('final');
  const log = recountedLog();
  const stranger = handOf('01'.repeat(32));
  const agreed = [HANDS[2], stranger].map((hand) => cosignOf(final, hand));
  const dissent = dissentOf(final, HANDS[0]);
  for (const each of agreed) log.append('cosign/1', each);
  log.append('dissent/1', dissent);
  assert.deepEqual(cosignPayloads(log.views, row(final)), {
    cosignatures: agreed.map(({ statement, signature, print_signature }, i) => ({
      name: [`recounter-3`, null][i],
      key: statement.cosigner,
      signature: print_signature,
      statement,
      statement_signature: signature,
      seq: 2 + i,
    })),
    dissents: [
      {
        name: 'recounter-1',
        key: HANDS[0].key,
        signature: dissent.dissent_signature,
        statement: dissent.statement,
        statement_signature: dissent.signature,
        seq: 4,
      },
    ],
  });
});

test("co-signers' words: none where nobody spoke, no name where there is no set", () => {
  const log = recountedLog();
  const unasked = sampleReport('final');
  assert.deepEqual(cosignPayloads(log.views, row(unasked)), { cosignatures: [], dissents: [] });
  log.append('cosign/1', cosignOf(unasked, HANDS[0]));
  assert.deepEqual(
    cosignPayloads(log.views, row(unasked)).cosignatures.map(({ name, key }) => [name, key]),
    [[null, HANDS[0].key]],
  );
});
