import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePrint, printOf, formatPrint } from '@assay/core/report/print';
import { reportHash } from '@assay/core/report/report';
import { statementHash } from '@assay/core/report/statement';
import { agreedIn, printPlace, statementOn, statements } from '@assay/core/view/statements';
import { cosignOf, dissentOf, HANDS, recountedReport } from '../fixture/cosigner-fixture.ts';
import { GENESIS, SampleLog, sha256, SOME_HASH } from '../fixture/fixture.ts';

const [hand] = HANDS;
const final = recountedReport('final');
const void_ = recountedReport('void', { ticker: final.ticker, period: final.period });
const other = recountedReport('final', { published_at: '2026-08-06T12:42:00Z' });

const agree = (report: typeof final): object => ({
  ...cosignOf(report, hand, { signed_at: '2026-08-07T00:00:00Z' }),
  dissent_signature: null,
});
const dissent = (report: typeof final): object => ({
  ...dissentOf(report, hand),
  print_signature: null,
});

test('words: of each report the first, in the order of the log', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('statement/1', dissent(final));
  log.append('statement/1', agree(final));
  log.append('statement/1', agree(other));
  const rows = [...statements(log.views)];
  assert.deepEqual(
    rows.map(({ seq, statement }) => [seq, statement.verdict]),
    [
      [1, 'dissent'],
      [2, 'agree'],
      [3, 'agree'],
    ],
  );
  for (const { hash, statement } of rows) assert.equal(hash, statementHash(sha256, statement));
  assert.equal(statementOn(log.views, final.log, reportHash(sha256, final))?.seq, 1);
  assert.equal(statementOn(log.views, final.log, reportHash(sha256, other))?.seq, 3);
  assert.equal(statementOn(log.views, SOME_HASH, reportHash(sha256, other)), undefined);
});

test('words: what settles a period has one place, and the first agreement in it stays', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('statement/1', dissent(void_));
  log.append('statement/1', agree(final));
  log.append('statement/1', agree(other));
  for (const report of [final, other, void_]) {
    const { statement } = cosignOf(report === void_ ? final : report, hand);
    assert.equal(agreedIn(log.views, statement)?.seq, 2);
  }
});

test('places: a final and a void share one; provisional issues and corrections have one each', () => {
  const print = printOf(sha256, final);
  const place = (change: object): string => printPlace({ ...print, ...change });
  const places = [
    place({}),
    place({ status: 'provisional', issue: 0 }),
    place({ status: 'provisional', issue: 1 }),
    place({ status: 'corrected', issue: 1 }),
    place({ period: print.period + 1 }),
    place({ series: print.rule }),
  ];
  assert.equal(new Set(places).size, places.length);
  assert.equal(place({ status: 'void' }), place({}));
  assert.equal(place({ value: 1n, report: print.rule, rule: print.report }), place({}));
  assert.equal(printPlace(parsePrint(formatPrint(print))), place({}));
});
