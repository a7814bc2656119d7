import { parseBase64 } from '@assay/core/bytes/base64';
import { formatBase58 } from '@assay/core/bytes/base58';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { FEED_HEAD_BYTES, FEED_MAGIC, FEED_OFFSETS } from '@assay/core/feed/feed-account';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { AccountBytes, ListedFeed } from '@assay/verifier/feed/chain-lookup';
import { printable } from '@assay/verifier/verdict/printable';
import { pauseUnless } from '../reader/deadline.ts';

/** Options for requests to a node. */
export interface RpcOptions {
  /** Once it is aborted, no further request is made, and none continues. */
  readonly signal?: AbortSignal | undefined;
  /** The time limit of one exchange in milliseconds. */
  readonly timeoutMs?: number;
  /** The milliseconds before a request is repeated, times how often it was made. */
  readonly backOffMs?: number;
}

/** What an auditor asks a Solana node: four methods of its JSON-RPC, without a library. */
export interface ChainRpc {
  readonly genesisHash: () => Promise<string>;
  readonly finalizedSlot: () => Promise<number>;
  /** Finalized accounts at `slot` or later; null for one that does not exist. */
  readonly accounts: (
    addresses: readonly string[],
    slot: number,
  ) => Promise<readonly (AccountBytes | null)[]>;
  /** Finalized feeds of `program` under a genesis key, at `slot` or later, each with its first bytes. */
  readonly feeds: (
    program: string,
    genesis: HashHex,
    slot: number,
  ) => Promise<readonly ListedFeed[]>;
}

const TIMEOUT_MS = 30_000;
const TRIES = 3;
const BACK_OFF_MS = 500;
/** How many addresses nodes accept in one request. */
const CHUNK = 100;
/** A hundred pages are under 1 MB as base64. A longer answer is refused. */
const MAX_ANSWER_BYTES = 16_777_216;
/** The most characters of a node's own message in an error. */
const MAX_WORDS = 200;

/**
 * A client of the node at `url`. Providers' addresses contain keys, so no error quotes more of one than its
 * host.
 */
export function chainRpc(url: string, options: RpcOptions = {}): ChainRpc {
  const call = (method: string, params: readonly unknown[]): Promise<unknown> =>
    callWithRetries(url, method, params, options);
  return {
    async genesisHash() {
      const found = await call('getGenesisHash', []);
      if (typeof found === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(found)) return found;
      throw wrong('getGenesisHash', 'a hash', found);
    },
    async finalizedSlot() {
      return slotOf(await call('getSlot', [{ commitment: 'finalized' }]), 'getSlot');
    },
    async accounts(addresses, slot) {
      const found: (AccountBytes | null)[] = [];
      for (let i = 0; i < addresses.length; i += CHUNK) {
        const chunk = addresses.slice(i, i + CHUNK);
        const config = { commitment: 'finalized', encoding: 'base64', minContextSlot: slot };
        const answer = await call('getMultipleAccounts', [chunk, config]);
        found.push(...accountsOf(answer, chunk.length, slot));
      }
      return found;
    },
    async feeds(program, genesis, slot) {
      const filters = [
        { memcmp: { offset: 0, bytes: formatBase58(formatUtf8(FEED_MAGIC)) } },
        { memcmp: { offset: FEED_OFFSETS.genesis, bytes: formatBase58(parseHex(genesis, 32)) } },
      ];
      const answer = await call('getProgramAccounts', [
        program,
        {
          commitment: 'finalized',
          encoding: 'base64',
          minContextSlot: slot,
          withContext: true,
          dataSlice: { offset: 0, length: FEED_HEAD_BYTES },
          filters,
        },
      ]);
      return feedsOf(answer, slot);
    },
  };
}

function feedsOf(answer: unknown, least: number): readonly ListedFeed[] {
  const method = 'getProgramAccounts';
  const slot = slotOf(memberOf(memberOf(answer, 'context'), 'slot'), method);
  if (slot < least) throw wrong(method, `accounts of slot ${least} or later`, slot);
  const value = memberOf(answer, 'value');
  if (!Array.isArray(value)) throw wrong(method, 'a list of accounts', value);
  const feeds = (value as readonly unknown[]).map((each) => {
    const address = memberOf(each, 'pubkey');
    if (typeof address !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) {
      throw wrong(method, 'an address', address);
    }
    return { address, ...accountOf(memberOf(each, 'account'), slot, method) };
  });
  feeds.sort((a, b) => (a.address < b.address ? -1 : 1));
  const twice = feeds.find(({ address }, i) => address === feeds[i + 1]?.address);
  if (twice !== undefined) throw wrong(method, 'each account once', twice.address);
  return feeds;
}

function accountsOf(
  answer: unknown,
  count: number,
  least: number,
): readonly (AccountBytes | null)[] {
  const method = 'getMultipleAccounts';
  const slot = slotOf(memberOf(memberOf(answer, 'context'), 'slot'), method);
  if (slot < least) throw wrong(method, `accounts of slot ${least} or later`, slot);
  const value = memberOf(answer, 'value');
  if (!Array.isArray(value) || value.length !== count)
    throw wrong(method, `${count} accounts`, value);
  return (value as readonly unknown[]).map((each) =>
    each === null ? null : accountOf(each, slot, method),
  );
}

function accountOf(value: unknown, slot: number, method: string): AccountBytes {
  const owner = memberOf(value, 'owner');
  const data = memberOf(value, 'data');
  if (typeof owner !== 'string' || !Array.isArray(data) || data.length !== 2) {
    throw wrong(method, 'an owner and bytes', value);
  }
  const [text, encoding] = data as readonly unknown[];
  if (typeof text !== 'string' || encoding !== 'base64') throw wrong(method, 'base64', encoding);
  return { owner, data: parseBase64(text), slot };
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function slotOf(value: unknown, method: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw wrong(method, 'a slot', value);
}

function wrong(method: string, expected: string, found: unknown): Fault {
  const words = found === undefined ? 'nothing' : (JSON.stringify(found) ?? typeof found);
  return new Fault('malformed', 'Solana node', {
    at: method,
    expected,
    found: printable(words.slice(0, MAX_WORDS)),
  });
}

async function callWithRetries(
  url: string,
  method: string,
  params: readonly unknown[],
  options: RpcOptions,
): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callOnce(url, method, params, options);
    } catch (error) {
      const again = error instanceof Fault && ['unreachable', 'timeout'].includes(error.code);
      if (!again || attempt === TRIES || options.signal?.aborted === true) throw error;
      const pause = (options.backOffMs ?? BACK_OFF_MS) * attempt;
      await pauseUnless(options.signal, pause);
    }
  }
}

async function callOnce(
  url: string,
  method: string,
  params: readonly unknown[],
  { signal: stop, timeoutMs = TIMEOUT_MS }: RpcOptions,
): Promise<unknown> {
  const { host, target, authorization } = targetOf(url);
  const controller = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, timeoutMs);
  const onStop = (): void => controller.abort();
  stop?.addEventListener('abort', onStop);
  if (stop?.aborted === true) onStop();
  const failed = (found: string): Fault =>
    new Fault('unreachable', 'Solana node', { at: `${method} of ${host}`, found });
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      redirect: 'error',
      signal: controller.signal,
    });
    const body = await readBody(response, host);
    if (response.status !== 200) throw failed(`status ${response.status}`);
    return resultOf(body, method);
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (!controller.signal.aborted) throw failed(reasonOf(error));
    const found = late ? `none in ${timeoutMs / 1000} s` : 'none in the time given';
    throw new Fault('timeout', 'Solana node', {
      at: `${method} of ${host}`,
      expected: 'an answer',
      found,
    });
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', onStop);
  }
}

/** An address, and the user in it as a header, because `fetch` does not accept an address with a user. */
function targetOf(text: string): {
  readonly host: string;
  readonly target: string;
  readonly authorization: Readonly<Record<string, string>>;
} {
  const url = new URL(text);
  const { host, username, password } = url;
  if (username === '' && password === '') return { host, target: text, authorization: {} };
  url.username = '';
  url.password = '';
  const pair = `${decoded(username)}:${decoded(password)}`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { host, target: url.href, authorization: { authorization } };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function resultOf(body: string, method: string): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    throw wrong(method, 'JSON', body.slice(0, MAX_WORDS));
  }
  const error = memberOf(answer, 'error');
  if (error !== undefined && error !== null) {
    const words = `${String(memberOf(error, 'code'))} ${String(memberOf(error, 'message'))}`;
    const found = printable(words.slice(0, MAX_WORDS));
    // -32005: the node is behind; -32016: it has not reached the requested slot. It may have a moment later.
    const behind = [-32_005, -32_016].includes(memberOf(error, 'code') as number);
    throw new Fault(behind ? 'unreachable' : 'refused', 'Solana node', { at: method, found });
  }
  return memberOf(answer, 'result');
}

async function readBody(response: Response, host: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (response.body === null) return '';
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > MAX_ANSWER_BYTES) {
      const expected = `${MAX_ANSWER_BYTES} bytes at most`;
      throw new Fault('too_large', 'Solana node', { at: host, expected });
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The system's error code of a failed fetch, which is hidden in the cause; never the address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'no answer';
}
