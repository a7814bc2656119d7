import { faultCode } from '@assay/core/fault';
import { toHashHex } from '@assay/core/hash/hash';
import { parseTilePath, type Tile } from '@assay/core/log/tile';
import type { BlobReader, BlobStore } from '../blob/blob-store.ts';
import { problem } from '../http/problem.ts';
import { BYTES_TYPE, IMMUTABLE, stream, TEXT_TYPE, whole } from '../http/reply.ts';
import { matchesEtag } from '../http/representation.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import { halted } from './folded-routes.ts';
import { getBlob, getCheckpoint, getTile } from './operation/log-operations.ts';

/** Is notified of stored bytes that were requested: whether they still have their hash. */
export interface BlobDamage {
  readonly note: (part: 'blob', name: string) => void;
  readonly whole: (part: 'blob', name: string) => void;
}

/** The log itself, as C2SP tlog-tiles names its parts, and the kept bytes by hash. */
export function logRoutes(
  ledger: LogRecord,
  blobs: Pick<BlobStore, 'checked' | 'has'>,
  damage?: BlobDamage,
): readonly Route[] {
  const checkpoint = (request: ApiRequest): ApiReply => checkpointReply(request, ledger);
  const tile = (request: ApiRequest<'*'>): Promise<ApiReply> => tileReply(request, ledger);

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
      // Source bytes are somebody else's: a browser must never run them as a page of ours.
      headers: [
        ['etag', etag],
        ['content-disposition', 'attachment'],
        ['content-security-policy', "default-src 'none'; sandbox"],
      ],
    });
  };

  return [
    route('GET', '/checkpoint', checkpoint, {
      unversioned: true,
      budget: 'log',
      operation: getCheckpoint,
    }),
    route('GET', '/tile/*', tile, { unversioned: true, budget: 'log', operation: getTile }),
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

/** The tile or bundle of a log that the rest of a path names. */
export async function tileReply(
  request: Pick<ApiRequest<'*'>, 'path' | 'params'>,
  record: Pick<LogRecord, 'published' | 'tile'>,
): Promise<ApiReply> {
  if (record.published === undefined) return halted(request);
  const named = readTilePath(`tile/${request.params['*']}`);
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

function readTilePath(path: string): Tile | undefined {
  try {
    return parseTilePath(path);
  } catch (error) {
    if (faultCode(error) === 'bad_path') return undefined;
    throw error;
  }
}
