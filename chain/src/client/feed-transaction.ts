import { equalBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import { Fault, messageOf } from '@assay/core/fault';
import { type Address, getAddressEncoder, getCompiledTransactionMessageDecoder } from '@solana/kit';
import { INSTRUCTIONS } from '../instructions.ts';

/** The log that feeds belong to. */
export interface FeedTerms {
  /** Its id, hex. */
  readonly log: string;
  /** The program of its feeds, base58; null for a log that names no chain. */
  readonly program: string | null;
  /** The hashes of the keys that it has promised, hex. */
  readonly promised: readonly string[];
}

/** Buys compute units, and can do nothing else. */
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111' as Address;

/** What a node has signed of a feed's instructions: it is made, and gets the next rule and the next set. */
const ALLOWED: ReadonlySet<number> = new Set([
  INSTRUCTIONS.initFeed,
  INSTRUCTIONS.addRule,
  INSTRUCTIONS.addSet,
]);

/** Where the members of `init_feed` are in its data: after its number, the cadence, decimals, threshold and count, and the ticker of 16 bytes. */
const INIT = { log: 21, next: 53, recovery: 85, end: 117 } as const;

/**
 * Throws `refused` unless a transaction makes a feed of the log, or registers a rule or a set with one, and does nothing
 * else. The report key pays for nothing: it is no fee payer, and no other program is called. A rotation is refused,
 * because it is a ceremony of an operator.
 */
export function requireFeedTransaction(
  message: Uint8Array,
  key: Uint8Array,
  terms: FeedTerms,
): void {
  const refuse = (at: string, expected: string, found: string): Fault =>
    new Fault('refused', 'transaction', { at, expected, found });
  const { program } = terms;
  if (program === null) throw refuse('program', 'none: the log names no chain', 'a transaction');
  const decoded = decode(message);
  if (decoded.version !== 'legacy' && decoded.version !== 0) {
    throw refuse('version', 'legacy or 0', `${decoded.version}`);
  }
  const { staticAccounts } = decoded;
  const [payer] = staticAccounts;
  if (payer === undefined || equalBytes(bytesOf(payer), key)) {
    throw refuse('fee payer', 'another key than the report key', payer ?? 'none');
  }
  if ('addressTableLookups' in decoded && (decoded.addressTableLookups?.length ?? 0) > 0) {
    throw refuse('accounts', 'each in the message', 'a lookup table');
  }
  let known = 0;
  for (const [i, { programAddressIndex, data }] of decoded.instructions.entries()) {
    const called = staticAccounts[programAddressIndex];
    if (called === COMPUTE_BUDGET) continue;
    const at = `instruction ${i}`;
    if (called !== program) throw refuse(at, `of the program ${program}`, `of ${called}`);
    const bytes = new Uint8Array(data ?? []);
    if (!ALLOWED.has(bytes[0] ?? -1)) {
      throw refuse(at, 'one that makes a feed, or adds a rule or a set', `number ${bytes[0]}`);
    }
    if (bytes[0] === INSTRUCTIONS.initFeed) requireOwnFeed(bytes, terms, refuse);
    known += 1;
  }
  if (known === 0) throw refuse('instructions', 'one of a feed', 'none');
}

/** A feed's first keys are promised for good, so they are those of the log. */
function requireOwnFeed(
  data: Uint8Array,
  { log, promised }: Pick<FeedTerms, 'log' | 'promised'>,
  refuse: (at: string, expected: string, found: string) => Fault,
): void {
  if (data.length < INIT.end)
    throw refuse('init_feed', 'all of its members', `${data.length} bytes`);
  if (!equalBytes(data.slice(INIT.log, INIT.next), parseHex(log))) {
    throw refuse('init_feed', `the log ${log}`, 'another log');
  }
  for (const [name, from, to] of [
    ['the next key', INIT.next, INIT.recovery],
    ['the recovery key', INIT.recovery, INIT.end],
  ] as const) {
    const found = data.slice(from, to);
    if (promised.some((hash) => equalBytes(parseHex(hash), found))) continue;
    throw refuse(
      'init_feed',
      `${name} that the log has promised`,
      Buffer.from(found).toString('hex'),
    );
  }
}

function decode(
  message: Uint8Array,
): ReturnType<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']> {
  try {
    return getCompiledTransactionMessageDecoder().decode(message);
  } catch (cause) {
    const expected = 'a transaction message of Solana';
    throw new Fault('malformed', 'transaction', { expected, found: messageOf(cause), cause });
  }
}

function bytesOf(address: Address): Uint8Array {
  return new Uint8Array(getAddressEncoder().encode(address));
}
