import { Fault } from '@assay/core/fault';
import type { Instruction } from '@solana/kit';
import { isPassing } from './ask.ts';
import { requireGoing, type SendOptions, type Sender, type Sent } from './sender.ts';

/** What is to stand on chain. */
export interface Errand<Seen, Found> {
  /** For words, such as `print`. */
  readonly title: string;
  /** Reads the accounts, at `finalized`. */
  readonly look: (signal: AbortSignal | undefined) => Promise<Seen & { readonly slot: bigint }>;
  /** What was wanted, where it stands. Throws `refused` where something else bars it for good. */
  readonly found: (seen: Seen) => Found | undefined;
  /** What brings it there from what was seen. */
  readonly instructions: (seen: Seen) => readonly Instruction[];
}

/** How it came to stand there. */
export type Done =
  | { readonly kind: 'sent'; readonly sent: Sent }
  /** The very same thing stood already, whoever brought it. */
  | { readonly kind: 'there' };

/** Refusals that somebody else may have caused, by bringing the same or a part of it: worth another look. */
const RACES: readonly string[] = [
  'exists',
  'settled',
  'bad_issue',
  'dissented',
  'repeated_close',
  'rule_waits',
  'set_waits',
  'rule_order',
  'AlreadyProcessed',
];

/** Times that what is to be brought is worked out anew. */
const ROUNDS = 3;

/**
 * Reads, sends what is missing, and reads again: nothing is said to stand that was not seen, at `finalized`, in
 * the slot of its transaction or later. Whatever a sending ends with, what is there is looked at before it is
 * told. Throws what `Sender.send`, `look` and `found` do, and `unmet` at `account` where a transaction is said to be
 * final and what it brings is not seen.
 */
export async function bring<Seen, Found extends object>(
  sender: Sender,
  errand: Errand<Seen, Found>,
  options: SendOptions,
): Promise<Done & Found> {
  const { signal } = options;
  let seen = await sender.asked(signal, () => errand.look(signal));
  let found = errand.found(seen);
  if (found !== undefined) return { ...found, kind: 'there' };
  for (let round = 1; ; round += 1) {
    let sent: Sent;
    try {
      sent = await sender.send(errand.instructions(seen), options);
    } catch (error) {
      requireGoing(signal);
      if (!(error instanceof Fault)) throw error;
      const race = RACES.includes(error.at ?? '') && error.code === 'refused';
      const looks = race || error.code !== 'refused' ? sender.parts.limits.rereads : 1;
      const later = await lookFor(sender, errand, { looks, from: 0n }, signal);
      if (later?.found !== undefined) return { ...later.found, kind: 'there' };
      // A page that somebody opened meanwhile is in the way of opening it, not of the print.
      if (!race || error.at !== 'exists' || later === undefined || round === ROUNDS) throw error;
      ({ seen } = later);
      continue;
    }
    const looks = sender.parts.limits.rereads;
    found = (await lookFor(sender, errand, { looks, from: sent.slot }, signal))?.found;
    if (found !== undefined) return { ...found, kind: 'sent', sent };
    throw new Fault('unmet', errand.title, {
      at: 'account',
      expected: `what transaction ${sent.transaction} brought`,
      found: 'nothing of it',
    });
  }
}

/**
 * Looks until it is found, at most `looks` times; undefined where nothing could be read. What was read before
 * the slot `from` does not count.
 */
async function lookFor<Seen, Found extends object>(
  sender: Sender,
  errand: Errand<Seen, Found>,
  { looks, from }: { readonly looks: number; readonly from: bigint },
  signal: AbortSignal | undefined,
): Promise<
  { readonly seen: Seen & { slot: bigint }; readonly found: Found | undefined } | undefined
> {
  let last: { seen: Seen & { slot: bigint }; found: Found | undefined } | undefined;
  for (let look = 1; ; look += 1) {
    try {
      const seen = await errand.look(signal);
      if (seen.slot >= from) {
        last = { seen, found: errand.found(seen) };
        if (last.found !== undefined) return last;
      }
    } catch (error) {
      requireGoing(signal);
      if (!isPassing(error)) throw error;
    }
    if (look >= looks) return last;
    await sender.pause(sender.parts.limits.pollMs, signal);
  }
}
