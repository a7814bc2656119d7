import { Fault } from '@assay/core/fault';
import type { Instruction } from '@solana/kit';
import { isPassing } from './ask.ts';
import { requireGoing, type SendOptions, type Sender, type Sent } from './sender.ts';

/** Something that is to be recorded on chain. */
export interface Errand<Seen, Found> {
  /** The noun for error messages, such as `print`. */
  readonly title: string;
  /** Reads the accounts at commitment `finalized`. */
  readonly read: (signal: AbortSignal | undefined) => Promise<Seen & { readonly slot: bigint }>;
  /** Returns what was wanted if it is recorded. Throws `refused` if something else excludes it permanently. */
  readonly found: (seen: Seen) => Found | undefined;
  /** The instructions that record it, given what was read. */
  readonly instructions: (seen: Seen) => readonly Instruction[];
}

/** How it came to be recorded. */
export type Done =
  | { readonly kind: 'sent'; readonly sent: Sent }
  /** Exactly the same was recorded already, by anybody. */
  | { readonly kind: 'there' };

/**
 * Refusals that somebody else may have caused by recording the same thing or a part of it, so that the accounts
 * are read again.
 */
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

/** How many times the instructions are computed anew. */
const ROUNDS = 3;

/**
 * Reads the accounts, sends what is missing, and reads again. Nothing counts as recorded unless it was read at
 * `finalized`, in the slot of its transaction or later. Whatever the result of sending, the accounts are read
 * before anything is reported.
 *
 * Throws what `Sender.send`, `read` and `found` do, and `unmet` at `account` if a transaction is reported as
 * final but its effect cannot be read.
 */
export async function bring<Seen, Found extends object>(
  sender: Sender,
  errand: Errand<Seen, Found>,
  options: SendOptions,
): Promise<Done & Found> {
  const { signal } = options;
  let seen = await sender.asked(signal, () => errand.read(signal));
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
      const reads = race || error.code !== 'refused' ? sender.parts.limits.rereads : 1;
      const later = await readUntilFound(sender, errand, { reads, from: 0n }, signal);
      if (later?.found !== undefined) return { ...later.found, kind: 'there' };
      // If somebody opened the page meanwhile, only opening it again fails. The print can still be written.
      if (!race || error.at !== 'exists' || later === undefined || round === ROUNDS) throw error;
      ({ seen } = later);
      continue;
    }
    const reads = sender.parts.limits.rereads;
    found = (await readUntilFound(sender, errand, { reads, from: sent.slot }, signal))?.found;
    if (found !== undefined) return { ...found, kind: 'sent', sent };
    throw new Fault('unmet', errand.title, {
      at: 'account',
      expected: `what transaction ${sent.transaction} brought`,
      found: 'nothing of it',
    });
  }
}

/**
 * Reads until it is found, at most `reads` times; undefined if nothing could be read. What was read before the
 * slot `from` does not count.
 */
async function readUntilFound<Seen, Found extends object>(
  sender: Sender,
  errand: Errand<Seen, Found>,
  { reads, from }: { readonly reads: number; readonly from: bigint },
  signal: AbortSignal | undefined,
): Promise<
  { readonly seen: Seen & { slot: bigint }; readonly found: Found | undefined } | undefined
> {
  let last: { seen: Seen & { slot: bigint }; found: Found | undefined } | undefined;
  for (let count = 1; ; count += 1) {
    try {
      const seen = await errand.read(signal);
      if (seen.slot >= from) {
        last = { seen, found: errand.found(seen) };
        if (last.found !== undefined) return last;
      }
    } catch (error) {
      requireGoing(signal);
      if (!isPassing(error)) throw error;
    }
    if (count >= reads) return last;
    await sender.pause(sender.parts.limits.pollMs, signal);
  }
}
