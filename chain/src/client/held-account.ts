import { Fault } from '@assay/core/fault';
import type { Address } from '@solana/kit';
import { SYSTEM_PROGRAM } from '../instructions.ts';
import type { FoundAccount } from './chain-calls.ts';

/** An account as a node answered it. */
export interface Held<T> {
  readonly address: Address;
  /** The finalized slot at which it was read. */
  readonly slot: bigint;
  readonly account: T;
}

export interface HeldParts<T> {
  readonly title: string;
  readonly program: Address;
  readonly address: Address;
  readonly slot: bigint;
  readonly parse: (bytes: Uint8Array) => T;
}

/**
 * Returns the account that was found; undefined if there is none, or only lamports that somebody sent there.
 * Throws `unmet` at `owner` for an account of another program, and what `parse` throws.
 */
export function heldAccount<T>(
  found: FoundAccount | null | undefined,
  { title, program, address, slot, parse }: HeldParts<T>,
): Held<T> | undefined {
  if (found === null || found === undefined) return undefined;
  if (found.owner === SYSTEM_PROGRAM && found.data.length === 0) return undefined;
  if (found.owner !== program) {
    throw new Fault('unmet', title, { at: 'owner', expected: program, found: found.owner });
  }
  return { address, slot, account: parse(found.data) };
}

/** Throws `unmet` at `at` if an account is not the one that its address stands for. */
export function requireSame(title: string, at: string, expected: string, found: string): void {
  if (expected !== found) throw new Fault('unmet', title, { at, expected, found });
}
