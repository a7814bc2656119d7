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

/** Whether a shared cache may serve a reply again without asking here (RFC 9111, 5.2.2). */
export function isShared(cacheControl: string): boolean {
  return /\bpublic\b/.test(cacheControl) && !/\bno-(?:cache|store)\b/.test(cacheControl);
}

const NO_BLOCKS: readonly HeaderBlock[] = [];

function head(contentType: string, options: ReplyOptions): Omit<WholeReply, 'kind' | 'body'> {
  const { cacheControl = NO_STORE } = options;
  return {
    status: options.status ?? 200,
    blocks: options.blocks ?? NO_BLOCKS,
    headers: [
      ['content-type', contentType],
      ['cache-control', cacheControl],
      ...(options.headers ?? []),
    ],
    shared: isShared(cacheControl),
  };
}

/** A body made for this request. What is requested again and again is a `Representation` instead. */
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
  options: ReplyOptions & Pick<StreamReply, 'size' | 'filler'> = {},
): StreamReply {
  const { size, filler } = options;
  return {
    kind: 'stream',
    ...head(contentType, options),
    ...(size === undefined ? {} : { size }),
    ...(filler === undefined ? {} : { filler }),
    chunks,
  };
}
