import type { HeaderBlock, HeaderList } from './header.ts';
import type { StreamReply, WholeReply } from './request.ts';

/** For what can never change: tiles, blobs, closed periods (RFC 8246). */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
export const NO_STORE = 'no-store';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';
export const BYTES_TYPE = 'application/octet-stream';

export interface ReplyOptions {
  readonly status?: number;
  readonly cacheControl?: string;
  readonly blocks?: readonly HeaderBlock[];
  readonly headers?: HeaderList;
}

const NO_BLOCKS: readonly HeaderBlock[] = [];

function head(contentType: string, options: ReplyOptions): Omit<WholeReply, 'kind' | 'body'> {
  return {
    status: options.status ?? 200,
    blocks: options.blocks ?? NO_BLOCKS,
    headers: [
      ['content-type', contentType],
      ['cache-control', options.cacheControl ?? NO_STORE],
      ...(options.headers ?? []),
    ],
  };
}

/** A body made for this request. What is asked for again and again is a `Representation` instead. */
export function whole(
  contentType: string,
  body: Uint8Array | string,
  options: ReplyOptions = {},
): WholeReply {
  return { kind: 'whole', ...head(contentType, options), body };
}

export function stream(
  contentType: string,
  chunks: StreamReply['chunks'],
  options: ReplyOptions = {},
): StreamReply {
  return { kind: 'stream', ...head(contentType, options), chunks };
}
