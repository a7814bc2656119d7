import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import type { Report } from '@assay/core/report/report';
import { reportHash } from '@assay/core/report/report';
import { toDate } from '@assay/core/time/time';
import { reportsOf } from '@assay/core/view/reports';
import type { ReportSigner } from '@assay/node/key/report-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { printPlace } from '@assay/node/signer/signing-place';
import { CLAIMS_RULE, requireVerified, type TestNode, testNode } from '../fixture/round-fixture.ts';
import { note, REPORT_SIGNER } from '../ledger/ledger-fixture.ts';

const WEEK = '2026-07-25';
const RELEASE = '2026-07-30T12:30:00Z';

/** A signer that signs one report in each place, and whose next answer can be lost after it has signed. */
class RememberingSigner implements ReportSigner {
  readonly publicKey = REPORT_SIGNER.publicKey;
  readonly #signed = new Map<string, Report>();
  losesNext = false;
  /** Called while a signature is made. */
  whileSigning: () => Promise<void> = () => Promise.resolve();

  readonly sign: ReportSigner['sign'] = async (message, what) => {
    if (what.of !== 'print') throw new TypeError(what.of);
    await this.whileSigning();
    const place = printPlace(what.report);
    const before = this.#signed.get(place);
    if (before !== undefined && hashOf(before) !== hashOf(what.report)) {
      throw new Fault('signed_otherwise', 'signer', { at: place });
    }
    this.#signed.set(place, what.report);
    if (this.losesNext) {
      this.losesNext = false;
      throw new Fault('signer_away', 'signer');
    }
    return REPORT_SIGNER.sign(message);
  };

  readonly signedInPlaceOf = async (report: Report): Promise<Report | undefined> =>
    this.#signed.get(printPlace(report));
}

function hashOf(report: Report): string {
  return reportHash(nodeSha256, report);
}

async function due(): Promise<{ readonly node: TestNode; readonly signer: RememberingSigner }> {
  const signer = new RememberingSigner();
  const node = await testNode('2026-07-23T12:30:00Z', { signer });
  node.at(RELEASE);
  node.source.show({ [WEEK]: 197_000 });
  return { node, signer };
}

const rowsOf = ({ ledger }: TestNode): ReturnType<typeof reportsOf> =>
  reportsOf(ledger.tip, CLAIMS_RULE.ticker, toDate(WEEK));

test('round: a report that was signed and never written is written, though the next draft is another', async () => {
  const { node, signer } = await due();
  signer.losesNext = true;
  await assert.rejects(node.round(WEEK), { code: 'signer_away' });
  assert.equal(rowsOf(node).length, 0);
  node.at('2026-07-30T12:31:00Z');
  const { report } = await node.round(WEEK);
  assert.equal(report?.published_at, RELEASE, 'the one that was signed');
  assert.deepEqual(
    rowsOf(node).map(({ report: each }) => each.published_at),
    [RELEASE],
  );
  await requireVerified(node);
});

test('round: a report that was signed too long ago is not written, and no other is signed', async () => {
  const { node, signer } = await due();
  signer.losesNext = true;
  await assert.rejects(node.round(WEEK), { code: 'signer_away' });
  node.at('2026-07-30T13:30:01Z');
  await assert.rejects(node.round(WEEK), { code: 'signed_otherwise' });
  assert.equal(rowsOf(node).length, 0);
});

test('round: nothing is written between a draft and its signature, and the entry has the time of the draft', async () => {
  const { node, signer } = await due();
  let other: Promise<unknown> = Promise.resolve();
  signer.whileSigning = async () => {
    node.at('2026-07-30T12:30:09Z');
    other = node.ledger.write(() => [note('meanwhile')]);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
  const size = node.ledger.nextSeq;
  await node.round(WEEK);
  await other;
  const [row] = rowsOf(node);
  assert.equal(row?.seq, size);
  assert.equal(row?.report.published_at, RELEASE);
  await requireVerified(node);
});
