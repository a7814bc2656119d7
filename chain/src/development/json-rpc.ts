import { formatJson, type Json, type JsonObject } from './json.ts';
import { RpcError } from './rpc-error.ts';

/** Answers a call with these arguments; throws `RpcError`. */
export type RpcMethod = (params: readonly unknown[]) => Json;

/** Methods by name. */
export type RpcMethods = ReadonlyMap<string, RpcMethod>;

/** The most calls in one batch. */
export const MAX_BATCH = 100;
/** The number of characters of a batch's answers after which the remaining calls are refused. */
export const MAX_BATCH_TEXT = 33_554_432;

/**
 * The answer of JSON-RPC 2.0 to a request or a batch of requests; undefined if none is expected. A request
 * without an id is not carried out, because clients send such requests only to keep the connection open.
 */
export function answerRpc(request: unknown, methods: RpcMethods): Json | undefined {
  if (!Array.isArray(request)) return answerOne(request, methods);
  if (request.length === 0 || request.length > MAX_BATCH) {
    const error = new RpcError('invalid_request', `A batch has 1 to ${MAX_BATCH} requests`);
    return failure(null, error);
  }
  const answers = request.flatMap((each) => {
    const answer = answerOne(each, methods);
    return answer === undefined ? [] : [answer];
  });
  return answers.length === 0 ? undefined : answers;
}

/** As `answerRpc`, from text to text. */
export function answerRpcText(text: string, methods: RpcMethods): string | undefined {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return formatJson(failure(null, new RpcError('parse_error', 'Parse error')));
  }
  if (!isBatch(request)) {
    const answer = answerRpc(request, methods);
    return answer === undefined ? undefined : formatJson(answer);
  }
  const texts: string[] = [];
  let length = 0;
  for (const each of request) {
    const answer = answerOne(each, methods, length > MAX_BATCH_TEXT);
    if (answer === undefined) continue;
    const written = formatJson(answer);
    length += written.length;
    texts.push(written);
  }
  return texts.length === 0 ? undefined : `[${texts.join(',')}]`;
}

function isBatch(request: unknown): request is readonly unknown[] {
  return Array.isArray(request) && request.length > 0 && request.length <= MAX_BATCH;
}

/** With `full`, the answers before this one are as long as the answers of a batch may be. */
function answerOne(request: unknown, methods: RpcMethods, full = false): JsonObject | undefined {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return failure(null, new RpcError('invalid_request', 'Invalid request'));
  }
  const { jsonrpc, id, method, params = [] } = request as Readonly<Record<string, unknown>>;
  if (id !== undefined && !isId(id)) {
    return failure(null, new RpcError('invalid_request', 'Invalid request'));
  }
  if (jsonrpc !== '2.0' || typeof method !== 'string') {
    return failure(id ?? null, new RpcError('invalid_request', 'Invalid request'));
  }
  if (id === undefined) return undefined;
  try {
    if (full) throw new RpcError('internal_error', 'The answers of this batch are too long');
    const known = methods.get(method);
    if (known === undefined) throw new RpcError('method_not_found', 'Method not found');
    if (!Array.isArray(params)) {
      throw new RpcError('invalid_params', '`params` should be an array');
    }
    return { jsonrpc: '2.0', id, result: known(params) };
  } catch (error) {
    if (error instanceof RpcError) return failure(id, error);
    const words = error instanceof Error ? error.message : String(error);
    return failure(id, new RpcError('internal_error', `Internal error: ${words.slice(0, 500)}`));
  }
}

type RpcId = string | number | bigint | null;

function isId(id: unknown): id is RpcId {
  if (typeof id === 'string') return id.length <= 256;
  return id === null || typeof id === 'bigint' || (typeof id === 'number' && Number.isFinite(id));
}

function failure(id: RpcId, error: RpcError): JsonObject {
  return { jsonrpc: '2.0', id, error: error.toJson() };
}
