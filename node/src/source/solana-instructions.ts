import { formatHex } from '@assay/core/bytes/hex';
import { isSourceNumber, parseSourceJson, type SourceJson } from '@assay/core/source/source-json';
import { resolve } from '@assay/core/rule/pointer';
import type { SourceRequest } from '@assay/core/source/request';
import {
  formatSolanaText,
  type SolanaInstruction,
  type SolanaTransaction,
} from '@assay/core/read/solana-text';
import { base58 } from '@scure/base';
import type { Sleep } from './http-source.ts';
import type { SourceAnswer, SourceFailure } from './source.ts';
import { NO_LIMIT } from '@assay/core/work-budget';

export const SOLANA_EXTRACTOR = { name: 'assay-solana-instructions', version: '1' } as const;

export interface SolanaLimits {
  /** How many transactions are requested at once. */
  readonly atOnce: number;
  /**
   * How often one transaction that the node does not give is tried, in addition to the retries of the
   * connection.
   */
  readonly tries: number;
  /** Milliseconds before the second try, doubled before each further one. */
  readonly backoffMs: number;
}

/**
 * The most bytes of a transaction as a node writes it. Its instructions, including inner ones, take less than a
 * fourth of that.
 */
const MAX_TRANSACTION_BYTES = 4_194_304;

const SOLANA_LIMITS: SolanaLimits = { atOnce: 8, tries: 4, backoffMs: 500 };

export interface SolanaParts {
  readonly ask: (request: SourceRequest) => Promise<SourceAnswer>;
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
  readonly limits?: Partial<SolanaLimits>;
}

type Failed = { readonly reason: SourceFailure; readonly detail: string };

/**
 * Fetches each listed transaction with the kind of request that listed them, and extracts their instructions,
 * outer and inner, that name the listed address: a list of an address is complete only for these. If the node
 * does not give a transaction completely, the read has failed.
 */
export async function solanaInstructions(
  request: SourceRequest,
  transactions: readonly SolanaTransaction[],
  { ask, sleep, signal, limits: given = {} }: SolanaParts,
): Promise<Uint8Array | Failed> {
  const limits = { ...SOLANA_LIMITS, ...given };
  const address = addressOf(request);
  if (address === undefined) return unreachable('the request lists no address');
  const found: (readonly Omit<SolanaInstruction, 'transaction'>[])[] = [];
  let failure: Failed | undefined;
  let next = 0;

  async function fetchOne(listed: SolanaTransaction): Promise<SourceJson | Failed> {
    for (let count = 1; ; count += 1) {
      signal.throwIfAborted();
      const answer = await ask(transactionRequest(request, listed.signature));
      if (answer.kind === 'failed') return answer;
      const result = resultOf(answer);
      if (typeof result !== 'string') return result;
      if (count >= limits.tries) return unreachable(result);
      await sleep(limits.backoffMs * 2 ** (count - 1), signal);
    }
  }

  async function work(): Promise<void> {
    while (failure === undefined && next < transactions.length) {
      const index = next;
      next += 1;
      const listed = transactions[index] as SolanaTransaction;
      const result = await fetchOne(listed);
      if (isFailed(result)) {
        failure ??= result;
        return;
      }
      const instructions = instructionsOf(result, listed, address as string);
      if (instructions === undefined) {
        failure ??= unreachable(`transaction ${listed.signature} is not whole`);
        return;
      }
      found[index] = instructions;
    }
  }

  await Promise.all(Array.from({ length: limits.atOnce }, work));
  if (failure !== undefined) return failure;
  return formatSolanaText({
    transactions,
    instructions: found.flatMap((each, transaction) =>
      each.map((instruction) => ({ transaction, ...instruction })),
    ),
  });
}

function unreachable(detail: string): Failed {
  return { reason: 'unreachable', detail };
}

function isFailed(value: SourceJson | Failed): value is Failed {
  return typeof value === 'object' && value !== null && 'reason' in value;
}

function jsonOf(text: string): SourceJson | undefined {
  try {
    return parseSourceJson(text, NO_LIMIT);
  } catch {
    return undefined;
  }
}

function addressOf({ body }: SourceRequest): string | undefined {
  const root = jsonOf(body ?? '');
  const address = root === undefined ? undefined : resolve(root, '/params/0');
  return typeof address === 'string' ? address : undefined;
}

function transactionRequest(request: SourceRequest, signature: string): SourceRequest {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'getTransaction',
    params: [
      signature,
      { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'finalized' },
    ],
  });
  return { ...request, body, paging: { kind: 'none' } };
}

/** The result of an answer, or a text that says why there is none. The node may have it at the next try. */
function resultOf(answer: Extract<SourceAnswer, { kind: 'pages' }>): SourceJson | string {
  const [page] = answer.pages;
  if (page?.status !== 200) return `a transaction with status ${page?.status}`;
  if (page.bytes.length > MAX_TRANSACTION_BYTES) return 'a transaction of too many bytes';
  const root = jsonOf(Buffer.from(page.bytes).toString());
  const result = root === undefined ? undefined : resolve(root, '/result');
  return result instanceof Map
    ? (result as SourceJson)
    : 'a transaction that the node does not give';
}

/** The instructions that name the address, in the order in which they ran; undefined if some may be missing. */
function instructionsOf(
  result: SourceJson,
  listed: SolanaTransaction,
  address: string,
): readonly Omit<SolanaInstruction, 'transaction'>[] | undefined {
  const at = (path: string): SourceJson | undefined => resolve(result, path);
  if (at('/transaction/signatures/0') !== listed.signature) return undefined;
  if (numberOf(at('/slot')) !== listed.slot || at('/meta/err') !== null) return undefined;
  // Addresses from lookup tables follow the message's own. A legacy transaction may have no such list.
  const keys = [
    ...(listOf(at('/transaction/message/accountKeys')) ?? [null]),
    ...(listOf(at('/meta/loadedAddresses/writable') ?? []) ?? [null]),
    ...(listOf(at('/meta/loadedAddresses/readonly') ?? []) ?? [null]),
  ];
  const outer = listOf(at('/transaction/message/instructions'));
  const inner = listOf(at('/meta/innerInstructions'));
  if (outer === undefined || inner === undefined) return undefined;
  if (!keys.every((key): key is string => typeof key === 'string')) return undefined;
  const innerOf = new Map<number, readonly SourceJson[]>();
  for (const each of inner) {
    const index = numberOf(resolve(each, '/index'));
    const instructions = listOf(resolve(each, '/instructions'));
    if (index === undefined || index >= outer.length || instructions === undefined)
      return undefined;
    innerOf.set(index, [...(innerOf.get(index) ?? []), ...instructions]);
  }
  const out: Omit<SolanaInstruction, 'transaction'>[] = [];
  for (const each of outer.flatMap((one, i) => [one, ...(innerOf.get(i) ?? [])])) {
    const program = keys[numberOf(resolve(each, '/programIdIndex')) ?? -1];
    const accounts = listOf(resolve(each, '/accounts'))?.map(
      (index) => keys[numberOf(index) ?? -1],
    );
    const data = dataOf(resolve(each, '/data'));
    if (program === undefined || accounts === undefined || data === undefined) return undefined;
    if (accounts.includes(undefined)) return undefined;
    if (program === address || accounts.includes(address)) out.push({ program, data });
  }
  return out;
}

function listOf(value: SourceJson | undefined): readonly SourceJson[] | undefined {
  return Array.isArray(value) ? (value as readonly SourceJson[]) : undefined;
}

function numberOf(value: SourceJson | undefined): number | undefined {
  if (value === undefined || !isSourceNumber(value)) return undefined;
  return /^(?:0|[1-9][0-9]{0,14})$/.test(value.number) ? Number(value.number) : undefined;
}

/** The first 8 bytes of an instruction's data, in hex. */
function dataOf(value: SourceJson | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return formatHex(base58.decode(value).subarray(0, 8));
  } catch {
    return undefined;
  }
}
