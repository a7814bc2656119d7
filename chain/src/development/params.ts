import { type Address, isAddress, isSignature, type Signature } from '@solana/kit';
import { invalidParams, RpcError } from './rpc-error.ts';

/** The object of options that a method takes as its last argument. */
export type RpcConfig = Readonly<Record<string, unknown>>;

const COMMITMENTS: readonly unknown[] = [
  'processed',
  'confirmed',
  'finalized',
  // The names that older clients use.
  'recent',
  'single',
  'singleGossip',
  'root',
  'max',
];

/** Parses an address in base58. Throws `invalid_params`, like everything here. */
export function addressParam(value: unknown): Address {
  if (typeof value === 'string' && isAddress(value)) return value;
  throw invalidParams('not an address');
}

export function signatureParam(value: unknown): Signature {
  if (typeof value === 'string' && isSignature(value)) return value;
  throw invalidParams('not a signature');
}

export function textParam(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw invalidParams(`${what} is not a string`);
}

export function flagParam(value: unknown, what: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw invalidParams(`${what} is not a boolean`);
}

/** Parses a whole number in `[min, max]`. A number above 2^53 is refused, because it is not exact any more. */
export function integerParam(value: unknown, what: string, min: number, max: number): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (
    typeof number === 'number' &&
    Number.isSafeInteger(number) &&
    number >= min &&
    number <= max
  ) {
    return number;
  }
  throw invalidParams(`${what} is not a whole number from ${min} to ${max}`);
}

/** Parses a list of at most `max` members, each with `parse`. */
export function listParam<T>(
  value: unknown,
  what: string,
  max: number,
  parse: (each: unknown) => T,
): readonly T[] {
  if (!Array.isArray(value)) throw invalidParams(`${what} is not an array`);
  if (value.length > max) throw invalidParams(`${what} has more than ${max} members`);
  return value.map((each) => parse(each));
}

/**
 * Parses an object of options; an absent one is empty. Because everything here is final at once, a commitment
 * is only checked for its form.
 */
export function configParam(value: unknown, slot: number): RpcConfig {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalidParams('not an object of options');
  const config = value as RpcConfig;
  const { commitment, minContextSlot, preflightCommitment } = config;
  for (const each of [commitment, preflightCommitment]) {
    if (each !== undefined && each !== null && !COMMITMENTS.includes(each)) {
      throw invalidParams('not a commitment');
    }
  }
  if (minContextSlot !== undefined && minContextSlot !== null) {
    const least = integerParam(minContextSlot, 'minContextSlot', 0, Number.MAX_SAFE_INTEGER);
    if (least > slot) {
      throw new RpcError('min_context_slot', 'Minimum context slot has not been reached', {
        contextSlot: slot,
      });
    }
  }
  return config;
}
