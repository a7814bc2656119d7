import { blockId, headerHash } from '@assay/core/bitcoin/header';
import { Fault } from '@assay/core/fault';
import { isHex, parseHex } from '@assay/core/bytes/hex';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { boundedFetch, type BoundedAnswer, type BoundedFetch } from '../platform/bounded-fetch.ts';
import { withDeadline } from '../platform/deadline.ts';
import { type HeaderSource, MAX_HEIGHT, requireRange } from './header-source.ts';

export interface CoreRpcOptions {
  readonly name?: string;
  /** The URL without user and password. */
  readonly url: string;
  /** The Authorization header, such as `Basic dXNlcjpwYXNz`. It appears in no error. */
  readonly authorization?: string | undefined;
  /** The time limit of one exchange in milliseconds. */
  readonly timeoutMs: number;
  /** Ends an exchange that is under way, and prevents further ones. */
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: BoundedFetch;
}

interface Call {
  readonly method: 'getblockcount' | 'getblockhash' | 'getblockheader';
  readonly params: readonly (string | number | boolean)[];
}

/** How many calls are in one request. */
const BATCH = 100;
const MAX_BYTES = 262_144;
/** Bitcoin Core's RPC_INVALID_PARAMETER: a height after the tip. */
const OUT_OF_RANGE = -8;

/** The outcome of a call: a result, or the code of an error. */
type Outcome = { readonly result: unknown } | { readonly error: number };

/**
 * Headers from a Bitcoin Core node by JSON-RPC. It calls only `getblockcount`, `getblockhash` and
 * `getblockheader(hash, false)`. A header must have the hash that was asked for.
 */
export function coreRpc(options: CoreRpcOptions): HeaderSource {
  const { name = 'Bitcoin Core', timeoutMs, fetch = boundedFetch } = options;
  const title = name;
  const headers = {
    'content-type': 'application/json',
    ...(options.authorization === undefined ? {} : { authorization: options.authorization }),
  };

  async function ask(calls: readonly Call[]): Promise<readonly Outcome[]> {
    const body = Buffer.from(JSON.stringify(calls.map((call, id) => ({ ...call, id }))));
    const answer = await withDeadline(
      timeoutMs,
      title,
      (signal) =>
        fetch({
          title,
          method: 'POST',
          url: options.url,
          headers,
          body,
          maxBytes: MAX_BYTES,
          signal,
        }),
      options.signal,
    );
    return outcomes(answer, calls.length, title);
  }

  async function askAll(calls: readonly Call[]): Promise<readonly Outcome[]> {
    const all: Outcome[] = [];
    for (let i = 0; i < calls.length; i += BATCH) {
      all.push(...(await ask(calls.slice(i, i + BATCH))));
    }
    return all;
  }

  return {
    name,
    async tip() {
      const [outcome] = await ask([{ method: 'getblockcount', params: [] }]);
      const height = resultOf(outcome, title);
      if (Number.isInteger(height) && Number(height) >= 0 && Number(height) <= MAX_HEIGHT) {
        return Number(height);
      }
      throw new Fault('malformed', title, { at: 'getblockcount', expected: 'a height' });
    },
    async headers(from, count) {
      requireRange(from, count);
      const heights = Array.from({ length: count }, (_, i) => from + i);
      const ids: string[] = [];
      const asked = heights.map((height): Call => ({ method: 'getblockhash', params: [height] }));
      for (const outcome of await askAll(asked)) {
        if ('error' in outcome && outcome.error === OUT_OF_RANGE) break;
        const id = resultOf(outcome, title);
        if (typeof id !== 'string' || !isHex(id, 32)) {
          throw new Fault('malformed', title, { at: 'getblockhash', expected: 'a block hash' });
        }
        ids.push(id);
      }
      const answers = await askAll(
        ids.map((id): Call => ({ method: 'getblockheader', params: [id, false] })),
      );
      return answers.map((outcome, i) =>
        requireHeader(resultOf(outcome, title), ids[i] as string, title),
      );
    },
  };
}

/** Returns the 80 bytes of `hex` if their hash is `id`. Throws `malformed`. */
export function requireHeader(hex: unknown, id: string, title: string): Uint8Array {
  if (typeof hex === 'string' && isHex(hex, 80)) {
    const bytes = parseHex(hex, 80);
    if (blockId(headerHash(nodeSha256, bytes)) === id) return bytes;
  }
  throw new Fault('malformed', title, { expected: `the 80 bytes of header ${id} in hex` });
}

function resultOf(outcome: Outcome | undefined, title: string): unknown {
  if (outcome !== undefined && 'result' in outcome) return outcome.result;
  throw new Fault('refused', title, { found: `error ${outcome?.error ?? 'of no number'}` });
}

/** The outcomes in the order of the calls. A server may answer in any order. */
function outcomes(answer: BoundedAnswer, count: number, title: string): readonly Outcome[] {
  const { status, body } = answer;
  if (status !== 200) throw new Fault('refused', title, { found: `status ${status}` });
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Fault('malformed', title, { expected: 'JSON' });
  }
  const found = new Map<unknown, Outcome>();
  if (Array.isArray(list)) for (const each of list) readOutcome(each, found);
  const ordered = Array.from({ length: count }, (_, id) => found.get(id));
  if (found.size === count && ordered.every((each) => each !== undefined)) return ordered;
  throw new Fault('malformed', title, { expected: `${count} answers` });
}

function readOutcome(value: unknown, found: Map<unknown, Outcome>): void {
  if (typeof value !== 'object' || value === null || !('id' in value)) return;
  const error = 'error' in value ? value.error : undefined;
  if (error !== undefined && error !== null) {
    const code = typeof error === 'object' && 'code' in error ? error.code : undefined;
    found.set(value.id, { error: Number.isInteger(code) ? Number(code) : 0 });
  } else if ('result' in value) {
    found.set(value.id, { result: value.result });
  }
}
