import { ruleHash } from '@assay/core/rule/rule';
import { appendAttested, appendBatch, blockAt } from '../fixture/anchor-fixture.ts';
import { cpiRule, sampleReport, SampleLog, sha256 } from '../fixture/fixture.ts';
import { revision, ruledLog, SIGNATURE } from '../view/small-log.ts';

/** What the log shows of an index at a size. */
export interface HistoryShown {
  /** What the newest entry did. */
  readonly name: string;
  readonly size: number;
  readonly ticker: string;
  /** The whole of `history.csv`. */
  readonly csv: string;
}

/** The row of `vectors/history/logs.json`. */
export interface HistoryCase {
  readonly name: string;
  /** The entries, each as its canonical JSON. Their signatures are of no key. */
  readonly entries: readonly string[];
  readonly shows: readonly HistoryShown[];
}

const HEAD =
  'ticker,period,value,settlement_value,revised,revised_on,band,z,proof_day,bitcoin_height,proof_url';

const csv = (...rows: readonly string[]): string => `${[HEAD, ...rows].join('\n')}\n`;
const monthly = (...rows: readonly string[]): string => `${[`${HEAD},note`, ...rows].join('\n')}\n`;

/** A log that has everything which a row can show, and what it shows as it grows. The lines are written by hand. */
function historyCase(): HistoryCase {
  const log = ruledLog();
  const shows: HistoryShown[] = [];
  const show = (name: string, ticker: string, text: string): void => {
    shows.push({ name, size: log.entries.length, ticker, csv: text });
  };
  const report = (name: string, change: object = {}): string => {
    const made = sampleReport(name, { log: log.log, ...change });
    log.append('report/1', { report: made, signature: SIGNATURE });
    return made.published_at;
  };
  const revise = (rows: Parameters<typeof revision>[0], change: object = {}): void =>
    log.append('revision/1', revision(rows, change), '2026-08-06T12:41:00Z');

  show('nothing but the rules', 'LAYOFFS', csv());
  revise([
    { period: '2026-07-11', value: '209000' },
    { period: '2026-07-18', value: '-5' },
  ]);
  show(
    'figures of periods that were never printed',
    'LAYOFFS',
    csv('LAYOFFS,2026-07-11,209000,,,,,,,,', 'LAYOFFS,2026-07-18,-5,,,,,,,,'),
  );
  report('provisional');
  show(
    'a provisional is not complete',
    'LAYOFFS',
    csv('LAYOFFS,2026-07-11,209000,,,,,,,,', 'LAYOFFS,2026-07-18,-5,,,,,,,,'),
  );
  report('final', { z: '-1.3', band: 'normal' });
  const early = ['LAYOFFS,2026-07-11,209000,,,,,,,,', 'LAYOFFS,2026-07-18,-5,,,,,,,,'];
  show(
    'the first final settles',
    'LAYOFFS',
    csv(...early, 'LAYOFFS,2026-07-25,218000,218000,,,normal,-1.3,,,'),
  );
  revise([
    { period: '2026-07-18', value: '215000' },
    { period: '2026-07-25', value: '219000' },
  ]);
  early[1] = 'LAYOFFS,2026-07-18,215000,,,,,,,,';
  show(
    'of history the newest figure is the value, of a print it is a revision',
    'LAYOFFS',
    csv(...early, 'LAYOFFS,2026-07-25,218000,218000,219000,2026-08-06,normal,-1.3,,,'),
  );
  report('corrected');
  show(
    'a correction is the value, with its own z and band, and settles nothing',
    'LAYOFFS',
    csv(...early, 'LAYOFFS,2026-07-25,217000,218000,219000,2026-08-06,,,,,'),
  );
  report('corrected', { issue: 2, value: '219000' });
  show(
    'a correction to the revised figure takes the revision away',
    'LAYOFFS',
    csv(...early, 'LAYOFFS,2026-07-25,219000,218000,,,,,,,'),
  );
  revise([{ period: '2026-07-25', value: '218500' }], { read_at: '2026-08-20T23:59:59Z' });
  show(
    'a later revision',
    'LAYOFFS',
    csv(...early, 'LAYOFFS,2026-07-25,219000,218000,218500,2026-08-20,,,,,'),
  );
  revise([{ period: '2026-07-25', value: '219000' }], { read_at: '2026-08-21T00:00:00Z' });
  report('void');
  const printed = 'LAYOFFS,2026-07-25,219000,218000,,';
  show(
    'a revision back to the value takes it away, and a void has a row',
    'LAYOFFS',
    csv(...early, `${printed},,,,,`, 'LAYOFFS,2026-08-01,,,,,,,,,'),
  );
  revise([{ period: '2026-08-01', value: '220000' }], { read_at: '2026-08-21T00:00:00Z' });
  const voided = 'LAYOFFS,2026-08-01,,,220000,2026-08-21,,';
  show(
    'a figure for a void is a revision',
    'LAYOFFS',
    csv(...early, `${printed},,,,,`, `${voided},,,`),
  );
  const cpi = { ticker: 'CPI', rule: ruleHash(sha256, cpiRule()), provider: 'bls' };
  revise(
    [
      { period: '2025-09-01', value: '-14' },
      { period: '2025-10-01', value: '325031' },
    ],
    cpi,
  );
  report('lowest i64, three decimals');
  const months = [
    'cpi,2025-09-01,-0.014,,,,,,,,,loaded as history',
    'cpi,2025-10-01,325.031,,,,,,,,,loaded as history',
  ];
  const lowest = 'cpi,2025-12-01,-9223372036854775.808,-9223372036854775.808,,,very_high,99.9';
  show(
    'months, the least value, and a month without a row',
    'CPI',
    monthly(...months, `${lowest},,,,`),
  );
  appendBatch(log);
  const proof = (of: keyof ReportHashes): string => `/proof/${reportHashes(log)[of]}?format=ots`;
  show(
    'a batch holds the reports: the day of the stamp, and of a period the proof of its first final',
    'LAYOFFS',
    csv(
      ...early,
      `${printed},,,2026-08-22,,${proof('final')}`,
      `${voided},2026-08-22,,${proof('void')}`,
    ),
  );
  appendAttested(log, 0, [blockAt(7), blockAt(9)]);
  show(
    'two blocks hold the batch: the lower one',
    'LAYOFFS',
    csv(
      ...early,
      `${printed},,,2026-08-22,7,${proof('final')}`,
      `${voided},2026-08-22,7,${proof('void')}`,
    ),
  );
  show(
    'the same of months',
    'CPI',
    monthly(...months, `${lowest},2026-08-22,7,${proof('month')},`),
  );
  const entries = log.entries.map((bytes) => new TextDecoder().decode(bytes));
  return { name: 'two indexes', entries, shows };
}

interface ReportHashes {
  readonly final: string;
  readonly void: string;
  readonly month: string;
}

/** The hashes of the first final, the void and the monthly final of the log. */
function reportHashes(log: SampleLog): ReportHashes {
  const texts = log.entries.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Entry);
  const reports = texts.filter(({ kind }) => kind === 'report/1').map(({ body }) => body.report);
  const hashOf = (status: string, ticker: string): string => {
    const found = reports.find((each) => each?.status === status && each.ticker === ticker);
    return Buffer.from(sha256(new TextEncoder().encode(canonical(found)))).toString('hex');
  };
  return {
    final: hashOf('final', 'LAYOFFS'),
    void: hashOf('void', 'LAYOFFS'),
    month: hashOf('final', 'CPI'),
  };
}

interface Entry {
  readonly kind: string;
  readonly body: { readonly report?: { readonly status: string; readonly ticker: string } };
}

/** Entries are canonical, so what is parsed of one is written back in the same order. */
const canonical = (value: unknown): string => JSON.stringify(value);

export const HISTORY_CASES: readonly HistoryCase[] = [historyCase()];
