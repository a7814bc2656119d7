import { formatBase64 } from '@assay/core/bytes/base64';
import { Fault } from '@assay/core/fault';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import {
  createSolanaRpcFromTransport,
  type Rpc,
  type RpcTransport,
  type SolanaRpcApi,
} from '@solana/kit';
import { ask } from './ask.ts';

/** A node of a Solana chain. What it answers is not proven by anything here. */
export type ChainRpc = Rpc<SolanaRpcApi>;

export interface HttpRpcOptions {
  /** The time limit of one exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Headers in addition to those of every call, such as a provider's key. They appear in no error. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The size limit of one answer. */
  readonly maxBytes?: number;
}

const TITLE = 'Solana RPC';
const MAX_BYTES = 4_194_304;

/**
 * A node over HTTP. The user and password of the URL go into the Authorization header. Calls throw `timeout`,
 * `unreachable` (no answer, or a status that is not 200: `found` says which), `redirect_refused`, `too_large`,
 * `malformed` or `refused`. No error contains the URL, a header or text of the node, because each of them may
 * contain a key. Throws `bad_config` for a URL that is not http or https.
 */
export function httpRpc(url: string, options: HttpRpcOptions): ChainRpc {
  const { timeoutMs, headers = {}, maxBytes = MAX_BYTES } = options;
  const target = targetOf(url);
  const transport: RpcTransport = async <Response>({
    payload,
    signal,
  }: Parameters<RpcTransport>[0]): Promise<Response> => {
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
    const timer = setTimeout(stop, timeoutMs);
    try {
      const response = await fetch(target.url, {
        method: 'POST',
        headers: { ...target.headers, ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(payload, (_, value: unknown) =>
          typeof value === 'bigint' ? Number(value) : value,
        ),
        redirect: 'manual',
        signal: controller.signal,
      });
      return (await answerOf(response, maxBytes)) as Response;
    } catch (error) {
      if (error instanceof Fault) throw error;
      if (controller.signal.aborted) {
        throw new Fault('timeout', TITLE, { expected: `an answer within ${timeoutMs} ms` });
      }
      throw new Fault('unreachable', TITLE, { found: codeOf(error) });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  };
  return createSolanaRpcFromTransport(transport);
}

/**
 * The chain's CAIP-2 name: `solana:` and the first 32 characters of its genesis hash
 * (https://namespaces.chainagnostic.org/solana/caip2). Throws what the calls of `httpRpc` throw.
 */
export function chainId(rpc: ChainRpc, signal?: AbortSignal): Promise<string> {
  return ask('getGenesisHash', rpc.getGenesisHash(), signal, (hash) =>
    typeof hash === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(hash)
      ? `solana:${hash.slice(0, 32)}`
      : undefined,
  );
}

function targetOf(text: string): { url: string; headers: Record<string, string> } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Fault('bad_config', TITLE, { expected: 'an http or https URL' });
  }
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return { url: url.href, headers: {} };
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { url: url.href, headers: { authorization: `Basic ${formatBase64(formatUtf8(pair))}` } };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function answerOf(response: Response, maxBytes: number): Promise<unknown> {
  const { status, body } = response;
  if (status !== 200) {
    await body?.cancel();
    const code = status >= 300 && status < 400 ? 'redirect_refused' : 'unreachable';
    throw new Fault(code, TITLE, { found: `status ${status}` });
  }
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let length = 0;
  const reader = body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    length += part.value.length;
    if (length > maxBytes) {
      await reader?.cancel();
      throw new Fault('too_large', TITLE, { expected: `an answer of at most ${maxBytes} bytes` });
    }
    text += decodedPart(decoder, part.value);
  }
  text += decodedPart(decoder);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw notJson();
  }
}

function decodedPart(decoder: TextDecoder, part?: Uint8Array): string {
  try {
    return decoder.decode(part, { stream: part !== undefined });
  } catch {
    throw notJson();
  }
}

function notJson(): Fault {
  return new Fault('malformed', TITLE, { expected: 'JSON' });
}

/** Returns only the code of an error of fetch, because its message quotes addresses. */
function codeOf(error: unknown): string {
  const cause =
    error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  const code = cause?.code;
  return typeof code === 'string' && /^[A-Z0-9_]{1,48}$/.test(code) ? code : 'no answer';
}
