import { contentHash, type HashHex, hashHex, type Sha256 } from '../hash/hash.ts';
import type { ClosedAnswers } from './answers.ts';
import type { EventOpen } from './event.ts';
import type { Outcome } from './outcome.ts';
import type { Question } from './question.ts';
import type { ReceiptEntry } from './receipt-entry.ts';
import { formatWire } from '../wire/wire.ts';

/** A body that is stamped as it is. */
export type StampedBody = EventOpen | ReceiptEntry | Question | ClosedAnswers | Outcome;

/** What is stamped for a record of the Terminal or of the Referee: the SHA-256 of its entry's canonical body. */
export function recordDigest(sha256: Sha256, body: StampedBody): HashHex {
  return hashHex(contentHash(sha256, formatWire(body)));
}
