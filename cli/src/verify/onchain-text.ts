import type { OnchainFacts } from '@assay/verifier/verdict/verdict';
import { count, grouped } from '../text/text-rows.ts';

/** One row of what a verdict contains about the chain that a log names. */
export interface OnchainRow {
  readonly name: string;
  readonly words: string;
  /** Whether a reader may take it as proven. */
  readonly plain: boolean;
}

/**
 * What of a log is on chain. All of it is only claimed by whoever gave the accounts: the verdict shows that the
 * log and the claim agree, and there are findings where they do not.
 */
export function onchainRows(facts: OnchainFacts): readonly OnchainRow[] {
  const { chain, source, slot, feeds, prints, closes, behind, newer, unseen } = facts;
  const rows: OnchainRow[] = [
    {
      name: 'chain',
      words:
        `${chain}: ${count(feeds, 'feed')}, ${count(prints, 'print')} and ` +
        `${count(closes, 'Close')} compared; by ${source} alone, slot ${grouped(slot)}`,
      plain: false,
    },
  ];
  const { oldest } = behind;
  if (oldest !== null) {
    const what = oldest.of === 'print' ? 'the print of' : 'the Close under';
    rows.push({
      name: 'behind',
      words:
        `${count(behind.count, 'print or Close', 'prints and Closes')} that the log has and the ` +
        `chain lacks; the oldest is ${what} ${oldest.ticker} ${oldest.period}, entry ${oldest.seq}`,
      plain: false,
    });
  }
  if (newer > 0) {
    const words = `${count(newer, 'thing')} on chain came after the log that was read`;
    rows.push({ name: 'newer', words, plain: false });
  }
  if (unseen > 0) {
    const words =
      `${count(unseen, 'print or Close', 'prints and Closes')} that the log says are on chain, and that ` +
      'were not compared: the accounts are older, or do not include theirs';
    rows.push({ name: 'not seen', words, plain: false });
  }
  return rows;
}
