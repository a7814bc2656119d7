import { Fault } from '@assay/core/fault';
import { isHex } from '@assay/core/bytes/hex';
import { boundedFetch, type BoundedFetch } from '../platform/bounded-fetch.ts';
import { requireHeader } from './core-rpc.ts';
import { withDeadline } from '../platform/deadline.ts';
import { type HeaderSource, MAX_HEIGHT, requireRange } from './header-source.ts';

export interface EsploraOptions {
  readonly name?: string;
  /** Such as `https://host/api`. */
  readonly url: string;
  /** The time limit of one exchange in milliseconds. */
  readonly timeoutMs: number;
  /** Ends an exchange that is under way, and prevents further ones. */
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: BoundedFetch;
}

/** How many requests run at the same time. Explorers are shared. */
const AT_ONCE = 4;
const MAX_BYTES = 1024;

/**
 * Headers from an explorer with Esplora's HTTP API: `/blocks/tip/height`, `/block-height/<height>` and
 * `/block/<hash>/header`. A header must have the hash that was asked for.
 */
export function esplora(options: EsploraOptions): HeaderSource {
  const { name = 'explorer', timeoutMs, fetch = boundedFetch } = options;
  const title = name;
  const root = options.url.endsWith('/') ? options.url.slice(0, -1) : options.url;

  /** The text at a path; undefined if there is none. */
  async function get(path: string): Promise<string | undefined> {
    const url = `${root}${path}`;
    const { status, body } = await withDeadline(
      timeoutMs,
      title,
      (signal) => fetch({ title, method: 'GET', url, headers: {}, maxBytes: MAX_BYTES, signal }),
      options.signal,
    );
    if (status === 404) return undefined;
    if (status !== 200) throw new Fault('refused', title, { found: `status ${status}` });
    return Buffer.from(body).toString('latin1').trim();
  }

  /** Undefined after the end of the chain. */
  async function header(height: number): Promise<Uint8Array | undefined> {
    const id = await get(`/block-height/${height}`);
    if (id === undefined) return undefined;
    if (!isHex(id, 32)) throw new Fault('malformed', title, { expected: 'a block hash' });
    const hex = await get(`/block/${id}/header`);
    return requireHeader(hex, id, title);
  }

  return {
    name,
    explorer: true,
    async tip() {
      const text = (await get('/blocks/tip/height')) ?? '';
      if (/^(0|[1-9][0-9]{0,9})$/.test(text) && Number(text) <= MAX_HEIGHT) return Number(text);
      throw new Fault('malformed', title, { expected: 'a height' });
    },
    async headers(from, count) {
      requireRange(from, count);
      const all: Uint8Array[] = [];
      while (all.length < count) {
        const length = Math.min(AT_ONCE, count - all.length);
        const heights = Array.from({ length }, (_, i) => from + all.length + i);
        for (const each of await Promise.all(heights.map(header))) {
          if (each === undefined) return all;
          all.push(each);
        }
      }
      return all;
    },
  };
}
