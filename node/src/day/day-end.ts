import type { Logger } from 'pino';
import { faultCode, messageOf } from '@assay/core/fault';
import { newestClose } from '@assay/core/view/closes';
import type { Concern } from '../health/concern.ts';
import { type CloseParts, missedDays, runClose } from './close-round.ts';
import type { IndexRound } from './completeness-round.ts';

/** What is needed at the end of a day. */
export interface DayEndParts extends CloseParts {
  readonly indexing: Pick<IndexRound, 'run'>;
  readonly log: Logger;
  /** Called for each attempt that failed. */
  readonly onFailed?: (of: DayEndTask) => void;
}

export type DayEndTask = 'Close' | 'index entry';

/**
 * Makes the Close of the day that has ended, and then its index entry. A failure of the newest attempt is a
 * concern.
 */
export class DayEnd {
  readonly #parts: DayEndParts;
  readonly #failures = new Map<DayEndTask, string>();

  constructor(parts: DayEndParts) {
    this.#parts = parts;
  }

  /** Makes what is due. Never throws: a failure is reported. */
  async run(): Promise<void> {
    if (this.#parts.ledger.blocked !== undefined) return;
    await this.#try('Close', closeDay);
    await this.#try('index entry', indexDay);
  }

  readonly concerns = (): readonly Concern[] =>
    [...this.#failures].map(([task, why]) => ({
      level: 'degraded',
      reason: `The ${task} of the day that has ended could not be made: ${why}. It is tried again.`,
    }));

  async #try(task: DayEndTask, work: (parts: DayEndParts) => Promise<void>): Promise<void> {
    const { log, onFailed } = this.#parts;
    try {
      await work(this.#parts);
      this.#failures.delete(task);
    } catch (error) {
      // The message of an error may name things of the machine, so readers are given only the code.
      this.#failures.set(task, faultCode(error) ?? 'an error that is in the log of the operator');
      log.error({ reason: messageOf(error) }, `the ${task} failed`);
      onFailed?.(task);
    }
  }
}

async function closeDay({ log, ...parts }: DayEndParts): Promise<void> {
  const before = newestClose(parts.ledger.tip);
  const close = await runClose(parts);
  if (close === undefined) return;
  const { content, version } = close;
  log.info({ day: content.day, version, indices: content.items.length }, 'closed');
  const missed = missedDays(before, content.day);
  if (missed !== undefined) log.warn(missed, 'days stay without a Close');
}

async function indexDay({ indexing, log }: DayEndParts): Promise<void> {
  const entry = await indexing.run();
  if (entry !== undefined) log.info({ day: entry.day, prints: entry.prints.count }, 'indexed');
}
