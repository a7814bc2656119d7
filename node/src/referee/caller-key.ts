import { createHmac } from 'node:crypto';
import { formatHex } from '@assay/core/bytes/hex';

/** Who answers, as far as a request shows it. */
export interface Caller {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly address: string;
  readonly userAgent: string;
}

/** Bytes of the key of a question. */
export const CALLER_KEY_BYTES = 32;

/**
 * What is kept of a caller: HMAC-SHA256 (RFC 2104) of question, address and user agent under a key that was made for the
 * question, hex. Without the key, which is destroyed when the question closes, it says nothing about either.
 */
export function callerHash(
  key: Uint8Array,
  question: string,
  { address, userAgent }: Caller,
): string {
  return keyed(key, `${question}\0${address}\0${userAgent}`);
}

/** The same of an address alone, by which answers are counted. */
export function addressHash(key: Uint8Array, question: string, { address }: Caller): string {
  return keyed(key, `${question}\0${address}`);
}

function keyed(key: Uint8Array, text: string): string {
  return formatHex(new Uint8Array(createHmac('sha256', key).update(text).digest()));
}
