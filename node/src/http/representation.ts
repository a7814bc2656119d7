import { createHash } from 'node:crypto';
import { equalBytes } from '@assay/core/bytes/bytes';
import { acceptedCoding, type Coding, encoded } from './content-coding.ts';
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
  /** The same bytes in each coding, once they are made; null where they are not worth it. */
  readonly codings: Map<Coding, Representation | null> | undefined;
  /** The same with the extra headers of the newest answer, formatted again only when those change. */
  extended?: Extended;
}

/** Bodies below this many bytes fit into one packet as they are. */
const LEAST_CODED = 1400;
/** Texts, and what is text in effect. Everything else is compressed already, or random. */
const COMPRESSIBLE = /^(?:text\/(?!event-stream)|application\/(?:json|[\w.-]+\+(?:json|xml)))/;
/** What a coding has to save to be served. */
const WORTH_IT = 0.9;

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

const VARY = ['vary', 'accept-encoding'] as const;

export function representation(source: RepresentationSource): Representation {
  const { contentType, headers = [] } = source;
  const body = typeof source.body === 'string' ? Buffer.from(source.body) : source.body;
  const etag = createHash('sha256').update(body).digest().toString('base64url', 0, 16);
  const isCoded = body.length >= LEAST_CODED && COMPRESSIBLE.test(contentType);
  if (!isCoded) return made({ ...source, body, headers, etag: `"${etag}"` }, undefined);
  return made({ ...source, body, headers: [...headers, VARY], etag: `"${etag}"` }, new Map());
}

/**
 * The newest representation of each media type of something, which is made again when its bytes change. One that is made for each
 * request would never be sent compressed.
 */
export class NewestRepresentation {
  readonly #newest = new Map<string, Representation>();

  of(source: RepresentationSource): Representation {
    const { contentType, cacheControl } = source;
    const body = typeof source.body === 'string' ? Buffer.from(source.body) : source.body;
    const known = this.#newest.get(contentType);
    if (known?.cacheControl === cacheControl && equalBytes(known.body, body)) return known;
    const shown = representation({ ...source, body });
    this.#newest.set(contentType, shown);
    return shown;
  }
}

interface MadeSource extends RepresentationSource {
  readonly body: Uint8Array;
  readonly headers: HeaderList;
  readonly etag: string;
}

function made(
  { contentType, cacheControl, headers, body, etag }: MadeSource,
  codings: Representation['codings'],
): Representation {
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
    codings,
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
  plain: Representation,
  extra?: HeaderBlock,
): WholeReply {
  const known = request.header('if-none-match');
  const chosen = inCoding(plain, request);
  // A client may hold another coding than it would be sent now: it is told that what it holds is still right.
  const held = known === undefined ? undefined : heldOf(known, chosen, plain);
  const isKnown = held !== undefined;
  const shown = held ?? chosen;
  if (extra === undefined) return isKnown ? shown.notModified : shown.full;
  let { extended } = shown;
  if (extended?.extra !== extra) {
    extended = extend(shown, extra);
    shown.extended = extended;
  }
  return isKnown ? extended.notModified : extended.full;
}

/** Makes the coding that a client likes best before the first answer, for what is looked at by few and never again. */
export async function prepareCoding(
  plain: Representation,
  request: Pick<ApiRequest, 'header'>,
): Promise<void> {
  const coding = acceptedCoding(request.header('accept-encoding'));
  const { codings } = plain;
  if (coding === undefined || codings === undefined || codings.has(coding)) return;
  const bytes = encoded(plain.body, coding);
  if (bytes === undefined) return;
  codings.set(coding, null);
  await encode(plain, coding, bytes);
}

/** The representation in the coding that a client likes best, if it is ready. Otherwise it is made, and the plain bytes serve until then. */
function inCoding(plain: Representation, request: Pick<ApiRequest, 'header'>): Representation {
  const { codings } = plain;
  if (codings === undefined) return plain;
  const coding = acceptedCoding(request.header('accept-encoding'));
  if (coding === undefined) return plain;
  const ready = codings.get(coding);
  if (ready !== undefined) return ready ?? plain;
  const bytes = encoded(plain.body, coding);
  if (bytes === undefined) return plain;
  codings.set(coding, null);
  void encode(plain, coding, bytes);
  return plain;
}

async function encode(
  plain: Representation,
  coding: Coding,
  bytes: Promise<Uint8Array>,
): Promise<void> {
  const { contentType, cacheControl, headers, etag, codings } = plain;
  const body = await bytes.catch(() => undefined);
  if (body === undefined || body.length > WORTH_IT * plain.body.length) return;
  const source = {
    contentType,
    cacheControl,
    headers: [...headers, ['content-encoding', coding] as const],
    body,
    // Other bytes, so another strong validator (RFC 9110, 8.8.3.3).
    etag: `${etag.slice(0, -1)}-${coding}"`,
  };
  codings?.set(coding, made(source, undefined));
}

function heldOf(
  known: string,
  chosen: Representation,
  plain: Representation,
): Representation | undefined {
  if (matchesEtag(known, chosen.etag)) return chosen;
  if (plain.codings === undefined) return undefined;
  return [plain, ...plain.codings.values()].find(
    (each) => each !== null && matchesEtag(known, each.etag),
  ) as Representation | undefined;
}

/** If-None-Match: `*` or a list, compared weakly (RFC 9110, 13.1.2). */
export function matchesEtag(known: string, etag: string): boolean {
  if (known === etag || known === '*') return true;
  return known.split(',').some((tag) => {
    const text = tag.trim();
    return (text.startsWith('W/') ? text.slice(2) : text) === etag;
  });
}
