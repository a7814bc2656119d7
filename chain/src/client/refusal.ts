import { Fault } from '@assay/core/fault';
import { chainError } from '../errors.ts';
import { memberOf, wholeOf } from './ask.ts';

/**
 * The name of a transaction's error, from the form that JSON-RPC gives it: one of CHAIN_ERRORS for the program's
 * own, `Custom N` for another program's, else the runtime's word.
 */
export function refusalName(error: unknown): string {
  if (typeof error === 'string') return wordOf(error);
  const inner = memberOf(error, 'InstructionError', 1);
  if (typeof inner === 'string') return wordOf(inner);
  const custom = wholeOf(memberOf(inner, 'Custom'));
  if (custom !== undefined) return chainError(Number(custom)) ?? `Custom ${custom}`;
  const [name] = typeof error === 'object' && error !== null ? Object.keys(error) : [];
  return wordOf(name ?? '');
}

/** A transaction that the chain does not take, or took and undid. */
export function refusal(error: unknown): Fault {
  const index = wholeOf(memberOf(error, 'InstructionError', 0));
  return new Fault('refused', 'transaction', {
    at: refusalName(error),
    ...(index === undefined ? {} : { found: `instruction ${index}` }),
  });
}

/** A node's word, where it can be one. */
function wordOf(text: string): string {
  return /^[A-Za-z]{1,64}$/.test(text) ? text : 'unknown';
}
