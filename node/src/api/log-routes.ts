import { faultCode } from '@assay/core/fault';
import { toHashHex } from '@assay/core/hash/hash';
import { type PackPart, parsePackPath } from '@assay/core/log/pack';
import { parseTilePath, type Tile } from '@assay/core/log/tile';
import type { BlobReader, BlobStore } from '../blob/blob-store.ts';
import { Packs } from '../blob/packs.ts';
import { problem } from '../http/problem.ts';
import { BYTES_TYPE, IMMUTABLE, stream, TEXT_TYPE, whole } from '../http/reply.ts';
import { matchesEtag } from '../http/representation.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { halted } from './folded-routes.ts';
import {
  getBlob,
  getCheckpoint,
  getClosingHead,
  getPack,
  getTile,
} from './operation/log-operations.ts';

/** Source bytes are somebody else's: a browser must never run them as a page of ours. */
const SANDBOX = ['content-security-policy', "default-src 'none'; sandbox"] as const;

/** Is notified of stored bytes that were requested: whether they still have their hash. */
export interface BlobDamage {
  readonly note: (part: 'blob', name: string) => void;
  readonly whole: (part: 'blob', name: string) => void;
}

/** The log itself, as C2SP tlog-tiles names its parts, and the kept bytes by hash and in packs. */
export function logRoutes(
  ledger: LogRecord,
  blobs: Pick<BlobStore, 'checked' | 'has'>,
  damage?: BlobDamage,
): readonly Route[] {
  const checkpoint = (request: ApiRequest): ApiReply => checkpointReply(request, ledger);
  const tile = (request: ApiRequest<'*'>): Promise<ApiReply> => tileReply(request, ledger);
  const packs = new Packs(nodeSha256, { tile: (each) => ledger.tile(each), blobs });
  const pack = (request: ApiRequest<'*'>): Promise<ApiReply> => packReply(request, ledger, packs);

  const closingHead = (request: ApiRequest<'number'>): Promise<ApiReply> =>
    closingHeadReply(request, ledger);

  const blob = async (request: ApiRequest<'hash'>): Promise<ApiReply> => {
    const hash = toHashHex(request.params.hash);
    const etag = `"${hash}"`;
    const known = request.header('if-none-match');
    if (known !== undefined && matchesEtag(known, etag) && (await blobs.has(hash))) {
      return unchanged(etag);
    }
    let found: BlobReader | undefined;
    try {
      found = await blobs.checked(hash);
    } catch (error) {
      if (faultCode(error) !== 'blob_differs') throw error;
      damage?.note('blob', hash);
      return problem(request, 'damaged', {
        detail:
          'The bytes that are kept no longer have that sha256: another copy of the log has them.',
      });
    }
    if (found === undefined) {
      // What is not here may be named by the record all the same.
      if (ledger.published === undefined) return halted(request);
      return problem(request, 'not_found', { detail: 'No bytes are kept under that sha256.' });
    }
    damage?.whole('blob', hash);
    return stream(BYTES_TYPE, found.chunks(), {
      size: found.size,
      cacheControl: IMMUTABLE,
      headers: [['etag', etag], ['content-disposition', 'attachment'], SANDBOX],
    });
  };

  return [
    route('GET', '/checkpoint', checkpoint, {
      unversioned: true,
      budget: 'log',
      operation: getCheckpoint,
    }),
    route('GET', '/closing-head/:number', closingHead, {
      unversioned: true,
      budget: 'log',
      operation: getClosingHead,
    }),
    route('GET', '/tile/*', tile, { unversioned: true, budget: 'log', operation: getTile }),
    route('GET', '/pack/*', pack, { unversioned: true, budget: 'log', operation: getPack }),
    route('GET', '/blob/:hash', blob, { unversioned: true, budget: 'log', operation: getBlob }),
  ];
}

/** A log's newest checkpoint. */
export function checkpointReply(
  request: Pick<ApiRequest, 'path'>,
  { published }: Pick<LogRecord, 'published'>,
): ApiReply {
  if (published === undefined) return halted(request);
  return whole(TEXT_TYPE, published.note, { cacheControl: 'public, no-cache' });
}

/** The closing head of the checkpoint key that a path names. */
export async function closingHeadReply(
  request: Pick<ApiRequest<'number'>, 'path' | 'params'>,
  record: Pick<LogRecord, 'published' | 'closingHead'>,
): Promise<ApiReply> {
  if (record.published === undefined) return halted(request);
  const note = await record.closingHead?.(Number(request.params.number));
  if (note !== undefined) return whole(TEXT_TYPE, note, { cacheControl: IMMUTABLE });
  return problem(request, 'not_found', { detail: 'No checkpoint key of that number has ended.' });
}

/** The tile or bundle of a log that the rest of a path names. */
export async function tileReply(
  request: Pick<ApiRequest<'*'>, 'path' | 'params'>,
  record: Pick<LogRecord, 'published' | 'tile'>,
): Promise<ApiReply> {
  if (record.published === undefined) return halted(request);
  const named = readPath(`tile/${request.params['*']}`, parseTilePath);
  let body: Uint8Array | undefined;
  try {
    body = named === undefined ? undefined : await record.tile(named);
  } catch (error) {
    if (faultCode(error) !== 'ledger_corrupt') throw error;
    return problem(request, 'damaged', {
      detail: 'An entry or a hash in it is damaged: another copy of the log has it.',
    });
  }
  if (body !== undefined) return whole(BYTES_TYPE, body, { cacheControl: IMMUTABLE });
  return problem(request, 'not_found', { detail: 'The published log has no such tile.' });
}

/** A part of the pack that the rest of a path names. */
export async function packReply(
  request: Pick<ApiRequest<'*'>, 'path' | 'params'>,
  record: Pick<LogRecord, 'published'>,
  packs: Pick<Packs, 'part'>,
): Promise<ApiReply> {
  if (record.published === undefined) return halted(request);
  const named = readPath(`pack/${request.params['*']}`, parsePackPath);
  let found: Awaited<ReturnType<Packs['part']>>;
  try {
    found = named === undefined ? undefined : await packs.part(named);
  } catch (error) {
    if (faultCode(error) !== 'ledger_corrupt') throw error;
    return problem(request, 'damaged', {
      detail: 'An entry in it is damaged: another copy of the log has it.',
    });
  }
  if (found === undefined) {
    return problem(request, 'not_found', { detail: 'The published log has no such pack.' });
  }
  const { size, whole: isWhole, chunks } = found;
  return stream(BYTES_TYPE, chunks(), {
    size,
    cacheControl: isWhole ? IMMUTABLE : 'public, no-cache',
    headers: [['content-disposition', 'attachment'], SANDBOX],
  });
}

function unchanged(etag: string): ApiReply {
  return {
    kind: 'whole',
    status: 304,
    blocks: [],
    headers: [
      ['etag', etag],
      ['cache-control', IMMUTABLE],
    ],
    shared: true,
    body: '',
  };
}

/** What a path names; undefined for another spelling. */
function readPath<T extends Tile | PackPart>(
  path: string,
  parse: (path: string) => T,
): T | undefined {
  try {
    return parse(path);
  } catch (error) {
    if (faultCode(error) === 'bad_path') return undefined;
    throw error;
  }
}
