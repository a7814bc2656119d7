import { createHash } from 'node:crypto';
import { type HeaderBlock, type HeaderList, headerBlock } from './header.ts';
import { isShared } from './reply.ts';
import type { ApiRequest, WholeReply } from './request.ts';

/** What a path serves until something changes: serialised, hashed and formatted once. */
export interface Representation {
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Strong (RFC 9110, 8.8.3): 128 bits of the body's SHA-256. */
  readonly etag: string;
  readonly cacheControl: string;
  readonly headers: HeaderList;
  readonly full: WholeReply;
  readonly notModified: WholeReply;
  /** The same with the extra headers of the newest answer, formatted again only when those change. */
  extended?: Extended;
}

interface Extended {
  readonly extra: HeaderBlock;
  readonly full: WholeReply;
  readonly notModified: WholeReply;
}

function extend(shown: Representation, extra: HeaderBlock): Extended {
  const add = (reply: WholeReply): WholeReply => {
    const lists = [...reply.blocks, extra].flatMap(({ list }) => list);
    return { ...reply, blocks: [headerBlock(lists)] };
  };
  return { extra, full: add(shown.full), notModified: add(shown.notModified) };
}

export interface RepresentationSource {
  readonly contentType: string;
  readonly body: Uint8Array | string;
  readonly cacheControl: string;
  readonly headers?: HeaderList;
}

// RFC 9110, 15.4.5: of the headers of a 200, a 304 repeats these in addition to etag and cache-control.
// And the link to the next page, because one may come to follow a page whose body stays the same.
const KEPT_ON_304 = new Set(['content-location', 'expires', 'link', 'vary']);

export function representation(source: RepresentationSource): Representation {
  const { contentType, cacheControl, headers = [] } = source;
  const body = typeof source.body === 'string' ? Buffer.from(source.body) : source.body;
  const etag = `"${createHash('sha256').update(body).digest().toString('base64url', 0, 16)}"`;
  const shared = isShared(cacheControl);
  const validators: HeaderList = [
    ['etag', etag],
    ['cache-control', cacheControl],
  ];
  return {
    contentType,
    body,
    etag,
    cacheControl,
    headers,
    full: {
      kind: 'whole',
      status: 200,
      blocks: [headerBlock([['content-type', contentType], ...validators, ...headers])],
      headers: [],
      shared,
      body,
    },
    notModified: {
      kind: 'whole',
      status: 304,
      blocks: [headerBlock([...validators, ...headers.filter(([name]) => KEPT_ON_304.has(name))])],
      headers: [],
      shared,
      body: '',
    },
  };
}

/**
 * The representation, or 304 if the client has it. `extra` is sent with either: headers that hold for every
 * answer at this moment, such as the size of the log.
 */
export function represent(
  request: Pick<ApiRequest, 'header'>,
  shown: Representation,
  extra?: HeaderBlock,
): WholeReply {
  const known = request.header('if-none-match');
  const isKnown = known !== undefined && matchesEtag(known, shown.etag);
  if (extra === undefined) return isKnown ? shown.notModified : shown.full;
  let { extended } = shown;
  if (extended?.extra !== extra) {
    extended = extend(shown, extra);
    shown.extended = extended;
  }
  return isKnown ? extended.notModified : extended.full;
}

/** If-None-Match: `*` or a list, compared weakly (RFC 9110, 13.1.2). */
export function matchesEtag(known: string, etag: string): boolean {
  if (known === etag || known === '*') return true;
  return known.split(',').some((tag) => {
    const text = tag.trim();
    return (text.startsWith('W/') ? text.slice(2) : text) === etag;
  });
}
