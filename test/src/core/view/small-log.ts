import { ruleHash } from '@assay/core/rule/rule';
import {
  cpiRule,
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
  SOME_HASH,
} from '../fixture/fixture.ts';

export const SIGNATURE = 'ab'.repeat(64);

/** A revision body of the LAYOFFS rule, or another's. */
export function revision(
  rows: readonly { readonly period: string; readonly value: string }[],
  change: object = {},
): object {
  return {
    ticker: 'LAYOFFS',
    rule: ruleHash(sha256, layoffsRule()),
    provider: 'table',
    snapshot: SOME_HASH,
    retain: 'bytes',
    read_at: '2026-08-06T12:39:58Z',
    read_for: '2026-08-01',
    rows,
    ...change,
  };
}

/** The rules of two indexes, and nothing printed. */
export function ruledLog(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  log.append('rule/1', { rule: cpiRule() });
  return log;
}

/**
 * Two indexes: LAYOFFS with history, a period printed provisional, final, revised and corrected, and
 * a void one; CPI with history alone. And an entry of a kind that folds to nothing.
 */
export function smallLog(): SampleLog {
  const log = ruledLog();
  log.append(
    'revision/1',
    revision([
      { period: '2026-07-11', value: '209000' },
      { period: '2026-07-18', value: '216000' },
    ]),
  );
  log.append(
    'revision/1',
    revision(
      [
        { period: '2025-09-01', value: '324800' },
        { period: '2025-11-01', value: '325031' },
      ],
      { ticker: 'CPI', rule: ruleHash(sha256, cpiRule()), provider: 'bls' },
    ),
  );
  for (const name of ['provisional', 'final']) {
    log.append('report/1', { report: sampleReport(name, { log: log.log }), signature: SIGNATURE });
  }
  log.append(
    'revision/1',
    revision([
      { period: '2026-07-18', value: '215000' },
      { period: '2026-07-25', value: '219000' },
    ]),
  );
  log.append('report/1', {
    report: sampleReport('corrected', { log: log.log }),
    signature: SIGNATURE,
  });
  log.append('report/1', { report: sampleReport('void', { log: log.log }), signature: SIGNATURE });
  log.append('note/1', { text: 'The source was late.' });
  return log;
}
