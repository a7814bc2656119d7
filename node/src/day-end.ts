import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import { newestClose } from '@assay/core/view/closes';
import { type CloseParts, missedDays, runClose } from './close-round.ts';
import type { IndexRound } from './index-round.ts';

/** What a day that has ended asks for. */
export interface DayEndParts extends CloseParts {
  readonly indexing: Pick<IndexRound, 'run'>;
  readonly log: Logger;
}

/** The Close of the day that has ended, and its index entry behind it, where they are due. Never throws: a failure is told. */
export async function endDay(parts: DayEndParts): Promise<void> {
  if (parts.ledger.blocked !== undefined) return;
  await closeDay(parts);
  await indexDay(parts);
}

async function closeDay({ log, ...parts }: DayEndParts): Promise<void> {
  try {
    const before = newestClose(parts.ledger.tip);
    const close = await runClose(parts);
    if (close === undefined) return;
    const { content, version } = close;
    log.info({ day: content.day, version, indices: content.items.length }, 'closed');
    const missed = missedDays(before, content.day);
    if (missed !== undefined) log.warn(missed, 'days stay without a Close');
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'the Close failed');
  }
}

async function indexDay({ indexing, log }: DayEndParts): Promise<void> {
  try {
    const entry = await indexing.run();
    if (entry !== undefined) log.info({ day: entry.day, prints: entry.prints.count }, 'indexed');
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'the index entry failed');
  }
}
