import { contentHash, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { checkpointReply, closingHeadReply, packReply, tileReply } from '../api/log-routes.ts';
import type { BlobStore } from '../blob/blob-store.ts';
import { Packs } from '../blob/packs.ts';
import { problem } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';

/** A copy of somebody else's log, and the origin that names it. */
export interface MirroredLog {
  readonly origin: string;
  readonly record: Pick<LogRecord, 'published' | 'tile' | 'closingHead'>;
  /** Where the bytes that it names are, as far as they were copied; absent where none are. */
  readonly blobs?: Pick<BlobStore, 'checked'>;
}

/** The path of a copy: `/mirror/` and the hex of sha256(origin), as C2SP tlog-witness names a log. */
export function mirrorPath(sha256: Sha256, origin: string): string {
  return `/mirror/${hashHex(contentHash(sha256, formatUtf8(origin)))}`;
}

/** Copies of others' logs, with the same paths below their own as the logs themselves (C2SP tlog-tiles, packs). */
export function mirrorRoutes(sha256: Sha256, mirrors: readonly MirroredLog[]): readonly Route[] {
  const records = new Map(
    mirrors.map(({ origin, record, blobs }) => {
      const tile: MirroredLog['record']['tile'] = (each) => record.tile(each);
      const packs = blobs === undefined ? undefined : new Packs(sha256, { tile, blobs });
      return [mirrorPath(sha256, origin), { record, packs }];
    }),
  );
  const logOf = ({ params }: ApiRequest<'hex'>): ReturnType<typeof records.get> =>
    records.get(`/mirror/${params.hex}`);
  const recordOf = (request: ApiRequest<'hex'>): MirroredLog['record'] | undefined =>
    logOf(request)?.record;
  const checkpoint = (request: ApiRequest<'hex'>): ApiReply => {
    const record = recordOf(request);
    return record === undefined ? none(request) : checkpointReply(request, record);
  };
  const tile = (request: ApiRequest<'hex' | '*'>): ApiReply | Promise<ApiReply> => {
    const record = recordOf(request);
    return record === undefined ? none(request) : tileReply(request, record);
  };
  const pack = (request: ApiRequest<'hex' | '*'>): ApiReply | Promise<ApiReply> => {
    const { record, packs } = logOf(request) ?? {};
    if (record === undefined || packs === undefined) return none(request);
    return packReply(request, record, packs);
  };
  const closing = (request: ApiRequest<'hex' | 'number'>): ApiReply | Promise<ApiReply> => {
    const record = recordOf(request);
    return record === undefined ? none(request) : closingHeadReply(request, record);
  };
  const options = { unversioned: true, budget: 'log' } as const;
  return [
    route('GET', '/mirror/:hex/checkpoint', checkpoint, options),
    route('GET', '/mirror/:hex/closing-head/:number', closing, options),
    route('GET', '/mirror/:hex/tile/*', tile, options),
    route('GET', '/mirror/:hex/pack/*', pack, options),
  ];
}

function none(request: Pick<ApiRequest, 'path'>): ApiReply {
  return problem(request, 'not_found', { detail: 'There is no copy of such a log here.' });
}
