import { Fault } from '@assay/core/fault';
import { isSolanaError, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR } from '@solana/kit';

const TITLE = 'Solana RPC';

/**
 * Codes of JSON-RPC errors that do not go away when the call is repeated. Any other code means that the node
 * has a problem.
 */
const FOR_GOOD: readonly number[] = [
  -32_600, // invalid request
  -32_601, // no such method
  -32_602, // invalid params
  -32_002, // preflight
  -32_003, // signature
  -32_013, // length of a signature
  -32_015, // version of a transaction
];

/**
 * Makes one call and reads its answer with `parse`. Throws `malformed` if that gives undefined. Any other
 * failure becomes a fault whose `at` is the method: `refused` (`found` is the code), `unreachable` or
 * `timeout`. No fault contains text of the node or of the transport.
 */
export async function ask<T>(
  method: string,
  call: { send(options?: { readonly abortSignal?: AbortSignal }): Promise<unknown> },
  signal: AbortSignal | undefined,
  parse: (answer: unknown) => T | undefined,
): Promise<T> {
  let answer: unknown;
  try {
    answer = await call.send(signal === undefined ? {} : { abortSignal: signal });
  } catch (error) {
    throw rpcFault(error, method);
  }
  const parsed = parse(answer);
  if (parsed !== undefined) return parsed;
  throw new Fault('malformed', TITLE, { at: method, expected: 'the answer of this method' });
}

/** Whether the same call may have another answer later. */
export function isPassing(error: unknown): error is Fault {
  return (
    error instanceof Fault &&
    (error.code === 'unreachable' || error.code === 'timeout' || error.code === 'malformed')
  );
}

function rpcFault(error: unknown, method: string): Fault {
  if (error instanceof Fault) return error;
  if (isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) {
    return new Fault('unreachable', TITLE, {
      at: method,
      found: `status ${error.context.statusCode}`,
    });
  }
  if (isSolanaError(error)) {
    const code = error.context.__code as number;
    // The codes of kit itself are above 0. They mean that kit could not read an answer.
    if (code > 0) return new Fault('malformed', TITLE, { at: method, found: `code ${code}` });
    return new Fault(FOR_GOOD.includes(code) ? 'refused' : 'unreachable', TITLE, {
      at: method,
      found: `code ${code}`,
    });
  }
  const name = error instanceof Error ? error.name : '';
  if (name === 'AbortError' || name === 'TimeoutError') {
    return new Fault('timeout', TITLE, { at: method });
  }
  return new Fault('unreachable', TITLE, { at: method });
}

/** Returns the member of an answer at a path; undefined if there is none. */
export function memberOf(answer: unknown, ...path: readonly (string | number)[]): unknown {
  let value = answer;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  return value;
}

/** Returns a whole number that is 0 or more; undefined for anything else. */
export function wholeOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value >= 0n ? value : undefined;
  return Number.isSafeInteger(value) && Number(value) >= 0 ? BigInt(value as number) : undefined;
}
