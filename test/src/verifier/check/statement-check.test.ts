import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import type { HashHex } from '@assay/core/hash/hash';
import type { KnownBody } from '@assay/core/kind/kinds';
import { MAX_ANCHOR_LAG } from '@assay/core/kind/anchor';
import type { Read, Report } from '@assay/core/report/report';
import { formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import { reportsOf } from '@assay/core/view/reports';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Findings } from '@assay/verifier/verdict/finding';
import type { CheckContext } from '@assay/verifier/check/read-check';
import {
  checkStatement,
  type Reported,
  type LoggedStatement,
} from '@assay/verifier/check/statement-check';
import { emptyTally, NotCheckedList } from '@assay/verifier/verdict/verdict';
import { chained, TICKER } from '../fixture/chained-log.ts';
import type { Loose } from '../fixture/forge.ts';
import { codesOf, judgeSite, siteOf } from '../fixture/published.ts';

const NAME = '2026-07-18 final 0';
const log = chained();
const seq = log.seqOf(`${NAME} cosign cleo`);
const { body, at } = parseEntry(log.published.entries[seq] as Uint8Array);
const said = { kind: 'cosign/1', body } as unknown as LoggedStatement;
const [row] = reportsOf(log.published.views, TICKER, '2026-07-18' as never).filter(
  ({ report }) => report.status === 'final',
);

function check(
  change: {
    readonly seq?: number;
    readonly at?: TimeText;
    readonly report?: Partial<Report>;
    readonly reread?: readonly Read[];
  },
  state: ViewState = log.published.views,
) {
  const findings = new Findings();
  const notChecked = new NotCheckedList();
  const tally = emptyTally();
  const context = { findings, notChecked, tally } as unknown as CheckContext;
  if (row === undefined) return assert.fail();
  const { leaf } = (body['statement'] as Loose)['entry'];
  const reported: Reported = {
    seq: log.seqOf(NAME),
    leaf: leaf as HashHex,
    row: { ...row, report: { ...row.report, ...change.report } },
  };
  const standing = {
    log: log.logId,
    state,
    reported: () => reported,
    rootAt: () => undefined,
    reread: () => change.reread,
  };
  checkStatement(
    said,
    change.seq ?? seq,
    change.at ?? at,
    'entry 9',
    standing,
    nodeSha256,
    context,
  );
  const found = findings.list.map(({ code, place }) => `${code} ${place}`);
  return { found, named: notChecked.list.map(({ what }) => what), tally };
}

test('a head that the log has kept no tree of is named, and one that it must have is found', () => {
  const far = check({ seq: seq + MAX_ANCHOR_LAG + 10 });
  assert.equal(far.named.length, 1);
  assert.match(far.named[0] ?? '', /^heads that co-signers name, of over 65536 entries before/);
  assert.equal(far.found.includes('statement_differs entry 9/statement/head'), false);
  const near = check({});
  assert.deepEqual(near.named, []);
  assert.equal(near.found.includes('statement_differs entry 9/statement/head'), true);
  assert.deepEqual([near.tally.cosignatures, near.tally.dissents], [1, 0]);
});

test('nobody speaks of a withheld level', () => {
  const { found } = check({ report: { withheld: true } });
  assert.equal(found.includes('statement_differs entry 9/statement/verdict'), true);
});

test('stored bytes are what the verifier makes of them, and not what the report says', () => {
  const reads = row?.report.reads ?? [];
  const kept = 'statement_differs entry 9/statement/kept';
  assert.equal(check({ reread: reads }).found.includes(kept), false);
  const other = reads.map((read) => ({ ...read, value: '1000' }));
  assert.equal(check({ reread: other }).found.includes(kept), true);
});

test('what is stated about bytes that the log may not store is named, and refutes nobody', () => {
  const reads = (row?.report.reads ?? []).map((read, i) =>
    i === 0 ? { ...read, retain: 'hash' as const, value: '1000' } : read,
  );
  const { found, named } = check({ report: { reads } });
  assert.equal(found.includes('statement_differs entry 9/statement/kept'), false);
  assert.match(named.join(), /what co-signers say of kept bytes of LAYOFFS/);
});

test('a set that the log does not have holds nobody', () => {
  const { found } = check({}, new MemoryViews());
  assert.equal(found.includes('statement_differs entry 9/statement/cosigner'), true);
});

test('clocks may be two minutes apart, in both directions, and no more', async () => {
  const target = `${NAME} cosign cleo`;
  const published = parseTime(row?.report.published_at as TimeText);
  for (const [time, fits] of [
    [published - 120, true],
    [published - 121, false],
    [parseTime(at) + 120, true],
    [parseTime(at) + 121, false],
  ] as const) {
    const late = chained({
      statement: (name, each) => {
        if (name === target) each['signed_at'] = formatTime(time);
      },
    });
    const verdict = await judgeSite(siteOf(late.published));
    assert.deepEqual(codesOf(verdict), fits ? [] : ['statement_differs'], formatTime(time));
  }
});

test('each statement of the log is a known one', () => {
  const kinds = new Set<KnownBody['kind']>();
  for (const entry of log.published.entries) kinds.add(parseEntry(entry).kind as never);
  for (const kind of ['cosigners/1', 'cosign/1', 'dissent/1', 'print/1'] as const) {
    assert.equal(kinds.has(kind), true, kind);
  }
});
