import { formatTime, parseTime } from '@assay/core/time/time';
import type { WireObject } from '@assay/core/wire/wire';
import { settledReport } from '@assay/core/view/reports';
import { ArenaLog } from '../arena/arena-log.ts';
import { EXAMPLE, exampleVector, type ArenaVector } from '../arena/example-arena.ts';

/** The rounds of the case: two with points, one that nobody could open, and one of a period that ended void. */
export const SHUT_ROUND = 'layoffs-2026-08-04';
export const VOID_ROUND = 'layoffs-2026-08-05';

/** The grade of the round that was not opened, though its number was in the log by then. */
const SHUT_GRADE: WireObject = {
  round: SHUT_ROUND,
  part: 0,
  parts: 1,
  print: null,
  report: null,
  void_reason: 'no_beacon',
  arena: { value: null, n: 0 },
  count: 2,
  unopened: 0,
  results: [],
};

/** The grade of the round whose forecasts opened and whose period has no number: (9800 × 1000 + 9200 × 1050) / 19000. */
const VOID_GRADE: WireObject = {
  round: VOID_ROUND,
  part: 0,
  parts: 1,
  print: null,
  void_reason: 'void_period',
  arena: { value: '1024', n: 2 },
  count: 3,
  unopened: 1,
  results: [],
};

const VOID = { status: 'void', reason: 'late', dispersion: null, settleable: false };

/**
 * A log with void rounds. Kay signs forecasts that are not sealed, and Eve copies what Kay sealed, which does not open. The
 * grades of void rounds are written down above, and their places and times here.
 */
export function voidRounds(): ArenaLog {
  const { ada, kay, eve } = EXAMPLE;
  const log = new ArenaLog({ ranked_from: 2, shrink: 0 });
  log.print('2026-08-01', '900', '2026-08-02T08:40:00Z');
  log.play('2026-08-02', '1000', [
    [ada, 1005n],
    [kay, 1010n],
  ]);
  log.play('2026-08-03', '1000', [
    [ada, 1005n],
    [kay, 1030n],
  ]);
  log.open('2026-08-05T02:00:00Z');
  log.take(SHUT_ROUND, ada, 1001n, '2026-08-05T02:00:01Z');
  log.take(SHUT_ROUND, kay, 1002n, '2026-08-05T02:00:02Z', { isSealed: true });
  log.freeze(SHUT_ROUND, '2026-08-05T07:30:00Z');
  const shut = { round: SHUT_ROUND, signature: null, note: null, void_reason: 'no_beacon' };
  log.append('unseal/1', shut, '2026-08-05T08:30:00Z');
  log.print('2026-08-04', '1000', '2026-08-05T08:40:00Z');
  log.append('grade/1', SHUT_GRADE, '2026-08-05T08:40:01Z');
  log.open('2026-08-06T02:00:00Z');
  log.take(VOID_ROUND, ada, 1000n, '2026-08-06T02:00:01Z');
  const { sealed } = log.take(VOID_ROUND, kay, 1050n, '2026-08-06T02:00:02Z', { isSealed: true });
  log.take(VOID_ROUND, eve, 0n, '2026-08-06T02:10:00Z', { isSealed: true, change: { sealed } });
  log.freeze(VOID_ROUND, '2026-08-06T07:30:00Z');
  log.unseal(VOID_ROUND);
  const late = formatTime(parseTime('2026-08-06T08:30:00Z') + 1_209_600);
  log.print('2026-08-05', null, late, VOID);
  const report = settledReport(log.views, log.rule.ticker, '2026-08-05' as never)?.hash ?? null;
  log.append('grade/1', { ...VOID_GRADE, report }, late);
  return log;
}

/** The row of the vectors. */
export const VOID_CASES: readonly ArenaVector[] = [exampleVector(voidRounds(), {})];
