import { formatTime, type TimeText } from '@assay/core/time/time';
import { formatBase64 } from '@assay/core/bytes/base64';
import { logRow } from '@assay/core/view/log';
import { tickers } from '@assay/core/view/rules';
import { newestPrinted } from '@assay/core/view/reports';
import { type AnchorRow, anchorsBack, newestAnchor } from '@assay/core/view/anchors';
import { newestBeacon } from '@assay/core/view/beacons';
import { onchainBack } from '@assay/core/view/onchain';
import type { ViewState } from '@assay/core/view/view';
import type { Clock } from '../platform/clock.ts';
import { problem } from '../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { TransportName } from '../http/transport.ts';
import type { LogRecord } from '../ledger/record.ts';
import type { StorageStatus } from '../scrub/storage-status.ts';
import type { StatusInput } from '../health/concern.ts';
import { getStatus } from './operation/service-operations.ts';

/** What the status is made from. Each part reports what is wrong with it. */
export interface StatusParts {
  readonly ledger: LogRecord;
  readonly now: Clock;
  readonly transport: () => TransportName;
  /** What may be wrong: every part of the service has its line here. */
  readonly inputs: readonly StatusInput[];
  /** Makes the inputs that depend on what is published read the newest of it. */
  readonly follow?: () => Promise<void>;
  /** A notice if the figures are not real; null in production. */
  readonly notice: string | null;
  /** The progress of posting; undefined if nothing is posted. */
  readonly feeds?: (() => FeedProgress) | undefined;
  /** The damage that was found, and the progress of the scrub. */
  readonly storage: () => StorageStatus;
}

/** The progress of posting. */
export interface FeedProgress {
  /** The newest finalized slot that was seen; null before the first. */
  readonly slot: number | null;
  /** Prints and Closes that belong on chain and that the log has not yet recorded as being there. */
  readonly waiting: number;
  /** Since when the oldest of them could be there; null while none could. */
  readonly waiting_since: TimeText | null;
}

export interface Status {
  readonly state: 'ok' | 'degraded' | 'halted';
  readonly reasons: readonly string[];
  readonly notice: string | null;
  readonly network: string | null;
  readonly origin: string | null;
  readonly log_id: string | null;
  readonly log_size: number;
  readonly log_root: string | null;
  readonly transport: string;
  readonly now: string;
  readonly indices: Readonly<Record<string, { readonly newest_printed: string | null }>>;
  readonly anchors: AnchorStatus;
  readonly feeds: FeedStatus;
  readonly storage: StorageStatus;
}

/** The chain of the log, and what is recorded there; null if there is none. */
export interface FeedStatus {
  /** CAIP-2 id. */
  readonly chain: string | null;
  /** Base58. */
  readonly program: string | null;
  readonly slot: number | null;
  /** The last thing that the log recorded as being there, and its slot. */
  readonly newest_posted: {
    readonly of: string;
    readonly ticker: string;
    readonly period: string;
    readonly slot: number;
    readonly seq: number;
  } | null;
  readonly waiting: number | null;
  readonly waiting_since: string | null;
}

export function feedStatus(state: ViewState, progress: FeedProgress | undefined): FeedStatus {
  const log = logRow(state);
  const [newest] = onchainBack(state);
  return {
    chain: log?.chain ?? null,
    program: log?.program ?? null,
    slot: progress?.slot ?? null,
    newest_posted:
      newest === undefined
        ? null
        : {
            of: newest.of,
            ticker: newest.ticker,
            period: newest.period,
            slot: newest.slot,
            seq: newest.seq,
          },
    waiting: progress?.waiting ?? null,
    waiting_since: progress?.waiting_since ?? null,
  };
}

/** The progress of the stamps; null if there is none. */
export interface AnchorStatus {
  /** The newest batch, when it was stamped, and the entries that batches hold. */
  readonly newest_batch: number | null;
  readonly stamped_at: string | null;
  readonly stamped_size: number | null;
  /** The newest batch that a block holds, and that block's height. */
  readonly newest_attested: number | null;
  readonly bitcoin_height: number | null;
  /** The newest block that the log names. */
  readonly beacon_height: number | null;
  readonly beacon_hash: string | null;
}

export function anchorStatus(state: ViewState): AnchorStatus {
  const newest = newestAnchor(state);
  const attested = newestAttested(state);
  const beacon = newestBeacon(state);
  return {
    newest_batch: newest?.batch ?? null,
    stamped_at: newest?.stamped_at ?? null,
    stamped_size: newest?.to ?? null,
    newest_attested: attested?.batch ?? null,
    bitcoin_height: attested?.bitcoin[0]?.height ?? null,
    beacon_height: beacon?.height ?? null,
    beacon_hash: beacon?.hash ?? null,
  };
}

function newestAttested(state: ViewState): AnchorRow | undefined {
  for (const row of anchorsBack(state)) if (row.bitcoin.length > 0) return row;
  return undefined;
}

export function readStatus(parts: StatusParts): Status {
  const { ledger } = parts;
  const row = logRow(ledger.shown);
  const concerns = parts.inputs.flatMap((input) => input());
  const halted = concerns.some(({ level }) => level === 'halted');
  return {
    state: halted ? 'halted' : concerns.length > 0 ? 'degraded' : 'ok',
    reasons: concerns.map(({ reason }) => reason),
    notice: parts.notice,
    network: row?.network ?? null,
    origin: row?.origin ?? null,
    log_id: row?.log ?? null,
    log_size: ledger.published?.size ?? 0,
    log_root: ledger.published === undefined ? null : formatBase64(ledger.published.root),
    transport: parts.transport(),
    now: formatTime(parts.now()),
    indices: Object.fromEntries(
      tickers(ledger.shown).map((ticker) => [
        ticker,
        { newest_printed: newestPrinted(ledger.shown, ticker) ?? null },
      ]),
    ),
    anchors: anchorStatus(ledger.shown),
    feeds: feedStatus(ledger.shown, parts.feeds?.()),
    storage: parts.storage(),
  };
}

/**
 * `/status`: 200 if ok or degraded, 503 with the problem merged into the body if halted. `state` is the state of the service
 * in both. `status` belongs to the problem, where RFC 9457 makes it the number of the HTTP status; the text of a 200 under
 * that name is a deprecated alias of `state`, kept for those who read it.
 */
export function statusRoute(parts: StatusParts): Route {
  const answer = async (request: ApiRequest): Promise<ApiReply> => {
    await parts.follow?.();
    const status = readStatus(parts);
    if (status.state === 'halted') {
      return problem(request, 'halted', {
        detail: status.reasons.join(' '),
        members: { ...status },
      });
    }
    const body = JSON.stringify({ status: status.state, ...status });
    return whole(JSON_TYPE, body, { cacheControl: NO_STORE });
  };
  return route('GET', '/status', answer, { operation: getStatus, budget: 'monitor' });
}
