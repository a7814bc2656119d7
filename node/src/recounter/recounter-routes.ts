import { formatBase64 } from '@assay/core/bytes/base64';
import { isHex } from '@assay/core/bytes/hex';
import { toHashHex } from '@assay/core/hash/hash';
import { formatTime } from '@assay/core/time/time';
import { checkpointTerms } from '@assay/core/view/key/checkpoint-keys';
import { logRow } from '@assay/core/view/log';
import type { Concern, StatusInput } from '../health/concern.ts';
import { healthRoutes } from '../api/health-routes.ts';
import { problemRoutes } from '../api/problem/problem-routes.ts';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../platform/clock.ts';
import { problem } from '../http/problem.ts';
import { IMMUTABLE, JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import type { StorageStatus } from '../scrub/storage-status.ts';
import type { DiskUse } from './disk-use.ts';
import type { FindingStore } from './finding-store.ts';

/** The progress of a recounter. */
export interface RecounterStatus {
  /** Unix seconds of the last poll that reached the publisher. */
  readonly followedAt: number | undefined;
  /** Reports that require its statement. */
  readonly waiting: number;
  /** Statements that the publisher has not accepted. */
  readonly unposted: number;
}

export interface RecounterRoutesParts {
  readonly name: string;
  /** The key of its statements, in hex. */
  readonly key: string;
  readonly witnessVkey: string | null;
  readonly record: LogRecord;
  readonly mirror: Pick<LogRecord, 'published' | 'shown'>;
  readonly publisherUrl: string;
  readonly findings: FindingStore;
  readonly evidence: Pick<BlobStore, 'get'>;
  readonly status: () => RecounterStatus;
  /** Undefined before it is measured. */
  readonly disk: () => DiskUse | undefined;
  readonly inputs: readonly StatusInput[];
  /** The damage that was found, and the progress of the scrub. */
  readonly storage: () => StorageStatus;
  readonly notice: string | null;
  readonly now: Clock;
}

/** What a recounter publishes about itself, and its findings against others. */
export function recounterRoutes(parts: RecounterRoutesParts): readonly Route[] {
  const { findings, evidence } = parts;

  const status = (request: ApiRequest): ApiReply => {
    const concerns = parts.inputs.flatMap((input) => input());
    const body = statusOf(parts, concerns);
    if (body.state === 'halted') {
      const detail = body.reasons.join(' ');
      return problem(request, 'halted', { detail, members: { ...body } });
    }
    const text = JSON.stringify({ status: body.state, ...body });
    return whole(JSON_TYPE, text, { cacheControl: NO_STORE });
  };

  const list = (): ApiReply =>
    whole(JSON_TYPE, JSON.stringify({ findings: findings.list(), more: findings.more() }), {
      cacheControl: NO_STORE,
    });

  const file = async (request: ApiRequest<'file'>): Promise<ApiReply> => {
    const hash = request.params.file.replace(/\.json$/, '');
    const isNamed = request.params.file.endsWith('.json') && isHex(hash, 32);
    const bytes = isNamed ? await evidence.get(toHashHex(hash)) : undefined;
    if (bytes === undefined) {
      return problem(request, 'not_found', { detail: 'There is no evidence with that SHA-256.' });
    }
    return whole(JSON_TYPE, bytes, { cacheControl: IMMUTABLE });
  };

  return [
    route('GET', '/status', status, { unversioned: true }),
    ...healthRoutes(parts.record),
    ...problemRoutes(),
    route('GET', '/findings', list, { unversioned: true }),
    route('GET', '/evidence/:file', file, { unversioned: true, budget: 'log' }),
  ];
}

interface StatusBody {
  readonly state: 'ok' | 'degraded' | 'halted';
  readonly reasons: readonly string[];
  readonly [name: string]: unknown;
}

function statusOf(parts: RecounterRoutesParts, concerns: readonly Concern[]): StatusBody {
  const { record, mirror, status, findings, now } = parts;
  const { followedAt, waiting, unposted } = status();
  const isHalted = concerns.some(({ level }) => level === 'halted');
  return {
    state: isHalted ? 'halted' : concerns.length > 0 ? 'degraded' : 'ok',
    reasons: concerns.map(({ reason }) => reason),
    notice: parts.notice,
    name: parts.name,
    key: parts.key,
    witness_vkey: parts.witnessVkey,
    log: logOf(record),
    publisher: {
      url: parts.publisherUrl,
      ...logOf(mirror),
      followed_at: followedAt === undefined ? null : formatTime(followedAt),
    },
    waiting,
    unposted,
    findings: findings.open().length + findings.more(),
    disk: diskOf(parts.disk()),
    storage: parts.storage(),
    now: formatTime(now()),
  };
}

function diskOf(use: DiskUse | undefined): object | null {
  if (use === undefined) return null;
  const { own, publisher, peers, free } = use;
  return { own_bytes: own, publisher_bytes: publisher, peers_bytes: peers, free_bytes: free };
}

function logOf({ published, shown }: Pick<LogRecord, 'published' | 'shown'>): object {
  const row = logRow(shown);
  return {
    origin: row?.origin ?? null,
    log_id: row?.log ?? null,
    checkpoint_vkey: checkpointTerms(shown).at(-1)?.vkey ?? null,
    size: published?.size ?? 0,
    root: published === undefined ? null : formatBase64(published.root),
  };
}
