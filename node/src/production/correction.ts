import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { Fault } from '@assay/core/fault';
import { findIndex } from '@assay/core/answer/index';
import { requirePeriod } from '@assay/core/rule/period';
import { type DateText, parseDate } from '@assay/core/time/time';
import { governingRule } from '@assay/core/round/governing';
import { systemClock } from '../platform/clock.ts';
import type { Config, Environment } from './config.ts';
import { Ledger } from '../ledger/ledger.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { askHeads, dataOf, nodeSource } from './production.ts';
import { type RoundResult, runCorrection } from '../round/round.ts';
import type { Source } from '../source/source.ts';

/** What is to be corrected, and what went wrong. */
export interface CorrectionOrder {
  /** Ticker or slug, in any case. */
  readonly index: string;
  readonly period: DateText;
  readonly why: string;
}

/**
 * Reads the sources of a final period again, with the data of a stopped node, and publishes the result if a
 * quorum gives another number. Throws what opening the data throws, `not_found` if there is no rule, and the
 * reason for which nothing may be written.
 */
export async function correct(
  config: Config,
  environment: Environment,
  log: Logger,
  { index, period, why }: CorrectionOrder,
): Promise<RoundResult> {
  const data = await dataOf(config, environment);
  let source: Source;
  let ledger: Ledger;
  try {
    source = nodeSource(config, environment, log, data);
    ledger = await Ledger.open({
      sha256: nodeSha256,
      store: data.store,
      guard: data.guard,
      signed: data.signed,
      signer: data.checkpoints,
      now: systemClock,
      askHeads: askHeads(config, data, log),
    });
  } catch (error) {
    await data.store.close();
    await data.guard.close();
    throw error;
  }
  try {
    if (ledger.blocked !== undefined) throw ledger.blocked;
    const ticker = findIndex(ledger.tip, index);
    const row = ticker && governingRule(ledger.tip, ticker, period);
    if (ticker === undefined || row === undefined) {
      throw new Fault('not_found', 'rule', { expected: `a rule of ${index} for ${period}` });
    }
    const day = requirePeriod(row.rule.period, parseDate(period), row.rule.display);
    return await runCorrection(ticker, day, why, {
      ledger,
      signer: data.report,
      source,
      blobs: data.blobs,
      openings: data.openings,
      sha256: nodeSha256,
      now: systemClock,
      random: randomBytes,
    });
  } finally {
    await ledger.close();
  }
}
