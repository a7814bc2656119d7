import { Fault } from '@assay/core/fault';
import { chainError } from '../errors.ts';
import { memberOf, wholeOf } from './ask.ts';

/**
 * The name of a transaction's error, from the form of JSON-RPC: one of CHAIN_ERRORS for the errors of this
 * program, `Custom N` for those of another program, or else the name that the runtime gives.
 */
export function refusalName(error: unknown): string {
  if (typeof error === 'string') return errorName(error);
  const inner = memberOf(error, 'InstructionError', 1);
  if (typeof inner === 'string') return errorName(inner);
  const custom = wholeOf(memberOf(inner, 'Custom'));
  if (custom !== undefined) return chainError(Number(custom)) ?? `Custom ${custom}`;
  const [name] = typeof error === 'object' && error !== null ? Object.keys(error) : [];
  return errorName(name ?? '');
}

/** A fault for a transaction that the chain refused, or that it took and rolled back. */
export function refusal(error: unknown): Fault {
  const index = wholeOf(memberOf(error, 'InstructionError', 0));
  return new Fault('refused', 'transaction', {
    at: refusalName(error),
    ...(index === undefined ? {} : { found: `instruction ${index}` }),
  });
}

/** Returns the name that a node gave to an error if it has the form of a name. */
function errorName(text: string): string {
  return /^[A-Za-z]{1,64}$/.test(text) ? text : 'unknown';
}
