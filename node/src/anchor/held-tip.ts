import { Fault, messageOf } from '@assay/core/fault';
import { calendarsOf } from '@assay/core/ots/calendars';
import { mergeTimestamps } from '../bitcoin/merge.ts';
import { parseTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { withoutSlash } from '../bitcoin/calendar-client.ts';
import { answerBytes, type OpenAnswer, type OpenBatch } from './open-batch.ts';
import { fitsProofs } from './proof-room.ts';

/** The most calendars that an anchor can list. */
const MAX_CALENDARS = 16;

/** The answers to a batch, combined. */
export interface HeldTip {
  readonly tree: Timestamp;
  /** The calendars that its attestations name, ascending. */
  readonly uris: readonly string[];
  /** How many calendars those are. One that is named with and without a slash counts once. */
  readonly calendars: number;
}

/** Undefined if there are no answers. Throws `bad_proof` for an answer that cannot be read. */
export function heldTip({ answers }: Pick<OpenBatch, 'answers'>): HeldTip | undefined {
  let tree: Timestamp | undefined;
  for (const answer of answers) {
    const each = parseTimestamp(answerBytes(answer), 32);
    tree = tree === undefined ? each : mergeTimestamps(tree, each);
  }
  if (tree === undefined) return undefined;
  const uris = calendarsOf(tree).map(({ uri }) => uri);
  return { tree, uris, calendars: new Set(uris.map(withoutSlash)).size };
}

/**
 * The batch with one more answer. Throws `refused` for an answer that promises more than one thing, or that
 * would bring the batch's proofs over a limit: a single calendar must neither count as two nor spoil the
 * answers of the others.
 */
export function withAnswer(batch: OpenBatch, answer: OpenAnswer): OpenBatch {
  const promises = promisesIn(parseTimestamp(answerBytes(answer), 32));
  if (promises !== 1) {
    throw new Fault('refused', 'calendar', {
      expected: 'one pending attestation',
      found: `${promises}`,
    });
  }
  const more = { ...batch, answers: [...batch.answers, answer] };
  const held = heldTip(more);
  if (
    held === undefined ||
    held.uris.length > MAX_CALENDARS ||
    !fitsProofs(held.tree, batch.from, batch.to)
  ) {
    throw new Fault('refused', 'calendar', { expected: 'an answer with room for a proof' });
  }
  return more;
}

/** A stored batch with the answers that can still be used, and what was wrong with the others. */
export function usable(batch: OpenBatch): {
  readonly batch: OpenBatch;
  readonly dropped: readonly string[];
} {
  const dropped: string[] = [];
  let kept: OpenBatch = { ...batch, answers: [] };
  for (const answer of batch.answers) {
    try {
      kept = withAnswer(kept, answer);
    } catch (error) {
      dropped.push(messageOf(error));
    }
  }
  return { batch: kept, dropped };
}

function promisesIn(timestamp: Timestamp): number {
  const all: Timestamp[] = [timestamp];
  let count = 0;
  for (let i = 0; i < all.length; i += 1) {
    for (const item of (all[i] as Timestamp).items) {
      if ('next' in item) all.push(item.next);
      else if (item.attestation.kind === 'pending') count += 1;
    }
  }
  return count;
}
