import type { OnchainFacts } from '../verdict/verdict.ts';
import { type Fact, fact } from './fact.ts';
import { count, grouped } from './words.ts';

/**
 * What of a log is on chain. All of it is only claimed by whoever gave the accounts: the verdict shows that the
 * log and the claim agree, and there are findings where they do not.
 */
export function onchainFacts(facts: OnchainFacts): readonly Fact[] {
  const { chain, source, slot, feeds, prints, closes, behind, newer, unseen } = facts;
  const doubtful = { isDoubtful: true };
  const rows = [
    fact(
      'chain',
      `${chain}: ${count(feeds, 'feed')}, ${count(prints, 'print')} and ` +
        `${count(closes, 'Close')} compared; by ${source} alone, slot ${grouped(slot)}`,
      doubtful,
    ),
  ];
  const { oldest } = behind;
  if (oldest !== null) {
    const what = oldest.of === 'print' ? 'the print of' : 'the Close under';
    const text =
      `${count(behind.count, 'print or Close', 'prints and Closes')} that the log has and the ` +
      `chain lacks; the oldest is ${what} ${oldest.ticker} ${oldest.period}, entry ${oldest.seq}`;
    rows.push(fact('behind', text, doubtful));
  }
  if (newer > 0) {
    const text = `${count(newer, 'thing')} on chain came after the log that was read`;
    rows.push(fact('newer', text, doubtful));
  }
  if (unseen > 0) {
    const text =
      `${count(unseen, 'print or Close', 'prints and Closes')} that the log says are on chain, and that ` +
      'were not compared: the accounts are older, or do not include theirs';
    rows.push(fact('not seen', text, doubtful));
  }
  return rows;
}
