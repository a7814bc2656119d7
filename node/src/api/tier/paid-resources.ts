import type { z } from 'zod';
import { messageOf } from '@assay/core/fault';
import { hashHex, type Sha256 } from '@assay/core/hash/hash';
import { parseHashTile, TILE_WIDTH } from '@assay/core/log/tile';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { type DateText, formatTime, HOUR_SECONDS, toDate } from '@assay/core/time/time';
import type { BlobStore } from '../../blob/blob-store.ts';
import { inputReader } from '../../http/input.ts';
import type { Operation, QuerySchema } from '../../http/operation.ts';
import { problem } from '../../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../../http/reply.ts';
import type { ApiReply, ApiRequest } from '../../http/request.ts';
import type { LogRecord } from '../../ledger/record.ts';
import type { PaidAnswer, PaidResource } from '../../payment/paid-resource.ts';
import type { Clock } from '../../platform/clock.ts';
import { ratedAsset } from '../../terminal/answer/base-rate.ts';
import { datasetPayload, type DatasetQuery, datasetStart } from '../../terminal/answer/dataset.ts';
import type { TickOpenings } from '../../terminal/tick/tick-openings.ts';
import { fullReceiptsPayload, type ProofOf } from '../../tier/full-receipts.ts';
import { hasBoard, noBoard, pastBoardPayload } from '../../tier/past-board.ts';
import { FigureRights } from '../../tier/rights.ts';
import {
  DEFAULT_HISTORY_DAYS,
  hasHistory,
  noHistory,
  scoreHistoryPayload,
} from '../../tier/score-history-page.ts';
import { StoredTicks } from '../../tier/stored-ticks.ts';
import { UNREADABLE } from '../folded-routes.ts';
import { getPastBoard, getScoreHistory, listFullReceipts } from '../operation/tier-operations.ts';
import { SAMPLE_BOARD, SAMPLE_HISTORY, SAMPLE_RECEIPTS } from './samples.ts';

const DEFAULT_ROWS = 200;

/** What the answers of the paid tier are made from. */
export interface TierParts {
  readonly record: LogRecord;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly grids: Readonly<Record<AssetClass, TickGrid>>;
  /** What opens the ticks, of the classes that are made here. */
  readonly openings: Readonly<Partial<Record<AssetClass, Pick<TickOpenings, 'day'>>>>;
  /** The providers whose prices and volumes may be sold. */
  readonly shownSources: readonly string[];
  readonly proofOf: ProofOf;
  /** An answer that could not be made. */
  readonly onError: (path: string, reason: string) => void;
  /** The first day of the dataset; the log's own without. */
  readonly start?: DateText | undefined;
}

/** What a request asks for: a problem, or an answer to make. */
type Asked = { readonly refused: ApiReply } | Sold;

/** An answer to make. One without a row is free: nobody pays for nothing. */
interface Sold {
  /** The answer if it has no row, and undefined if it has one. It costs no more than a free read may. */
  readonly withoutRow: () => Promise<object | undefined>;
  readonly make: () => Promise<object>;
  /** Whether too many wait for an answer like it. */
  readonly isBusy: () => boolean;
}

/** What the paid tier sells: a history of scores, the board of a moment, and receipts with their proofs. */
export function paidResources(parts: TierParts): readonly PaidResource[] {
  const ticks = new StoredTicks(parts);
  return [history(parts, ticks), pastBoard(parts, ticks), fullReceipts(parts)];
}

function history(parts: TierParts, ticks: StoredTicks): PaidResource {
  const { record, now: clock, grids, shownSources } = parts;
  return resource(parts, '/history/:symbol', getScoreHistory, SAMPLE_HISTORY, (request, input) => {
    const state = record.shown;
    const symbol = request.params['symbol'] ?? '';
    const asset = ratedAsset(state, symbol);
    if (asset === undefined) {
      const detail = `${JSON.stringify(symbol)} is not listed.`;
      return { refused: problem(request, 'not_listed', { detail }) };
    }
    const now = clock();
    const days = Number(input.days ?? DEFAULT_HISTORY_DAYS);
    const grid = grids[asset.class];
    return {
      withoutRow: async () =>
        (await hasHistory({ state, ticks, now }, asset, days))
          ? undefined
          : noHistory(asset, now, days),
      make: () =>
        ticks.alone(() => {
          const rights = new FigureRights(shownSources);
          return scoreHistoryPayload({ state, ticks, rights, grid, now }, asset, days);
        }),
      isBusy: () => ticks.isBusy,
    };
  });
}

function pastBoard(parts: TierParts, ticks: StoredTicks): PaidResource {
  const { record, now: clock, grids, shownSources } = parts;
  return resource(parts, '/board/at', getPastBoard, SAMPLE_BOARD, (request, input) => {
    const state = record.shown;
    const now = clock();
    const at =
      input.ts === undefined ? now - HOUR_SECONDS : Math.floor(Date.parse(input.ts) / 1000);
    if (at > now) {
      const detail = `/ts: not after now, ${formatTime(now)}`;
      return { refused: problem(request, 'bad_request', { detail }) };
    }
    return {
      withoutRow: async () => ((await hasBoard({ state, ticks }, at)) ? undefined : noBoard(at)),
      make: () =>
        ticks.alone(() => {
          const rights = new FigureRights(shownSources);
          return pastBoardPayload({ state, ticks, rights, grids }, at);
        }),
      isBusy: () => ticks.isBusy,
    };
  });
}

function fullReceipts(parts: TierParts): PaidResource {
  const { record, sha256, proofOf, start } = parts;
  return resource(parts, '/receipts/full', listFullReceipts, SAMPLE_RECEIPTS, (_, input) => {
    const state = record.shown;
    const first: string = start ?? datasetStart(state);
    const since = toDate([first, input.since ?? ''].sort().at(-1) ?? first);
    const limit = Number(input.limit ?? DEFAULT_ROWS);
    const asked: DatasetQuery = { since, limit, offset: Number(input.offset ?? 0) };
    const make = (): Promise<object> => fullReceiptsPayload(state, sha256, asked, proofOf);
    return {
      withoutRow: async () =>
        datasetPayload(state, { ...asked, limit: 1 }).rows.length === 0 ? make() : undefined,
      make,
      isBusy: () => false,
    };
  });
}

/** Seconds after which to ask again when too many wait. */
const BUSY_RETRY_S = 5;

/** A resource whose answers are made by what `ask` gives, with everything refused before that costs nothing to see. */
function resource<Query extends QuerySchema>(
  { record, onError }: Pick<TierParts, 'record' | 'onError'>,
  path: string,
  operation: Operation<Query>,
  sample: object,
  ask: (request: ApiRequest, input: z.output<Query>) => Asked,
): PaidResource {
  const read = inputReader(operation);
  const asked = (request: ApiRequest): Asked => {
    const input = read(request);
    if ('refused' in input) return input;
    if (record.published !== undefined) return ask(request, input.query);
    return { refused: problem(request, 'halted', { detail: UNREADABLE }) };
  };
  /** A problem, an answer that is free, or what can be made. Throws what reading throws. */
  const found = async (request: ApiRequest): Promise<ApiReply | Sold> => {
    const known = asked(request);
    if ('refused' in known) return known.refused;
    const empty = await known.withoutRow();
    return empty === undefined ? known : freely(empty);
  };
  const failed = (request: ApiRequest, error: unknown): ApiReply => {
    onError(path, messageOf(error));
    const detail = 'What the answer is made from cannot be read now.';
    return problem(request, 'halted', { detail });
  };
  return {
    path,
    operation,
    async check(request): Promise<ApiReply | undefined> {
      try {
        const known = await found(request);
        return 'make' in known ? undefined : known;
      } catch (error) {
        return failed(request, error);
      }
    },
    async prepare(request): Promise<ApiReply | PaidAnswer> {
      try {
        const known = await found(request);
        if (!('make' in known)) return known;
        if (known.isBusy()) return busy(request);
        const made = await known.make();
        if (hasNoRow(made)) return freely(made);
        const body = Buffer.from(JSON.stringify(made));
        return { kind: 'paid', body, contentType: JSON_TYPE, ...(await newestLeaf(record)) };
      } catch (error) {
        return failed(request, error);
      }
    },
    sample(request): ApiReply {
      const input = read(request);
      if ('refused' in input) return input.refused;
      return freely(sample);
    },
  };
}

function freely(payload: object): ApiReply {
  return whole(JSON_TYPE, JSON.stringify(payload), { cacheControl: NO_STORE });
}

/** Whether the list of an answer, by whichever name, is empty. */
function hasNoRow(payload: object): boolean {
  return ['points', 'assets', 'rows'].some((name) => {
    const rows = (payload as Readonly<Record<string, unknown>>)[name];
    return Array.isArray(rows) && rows.length === 0;
  });
}

function busy(request: ApiRequest): ApiReply {
  return problem(request, 'busy', {
    detail: 'Too many answers wait to be made.',
    headers: [['retry-after', String(BUSY_RETRY_S)]],
  });
}

/** The newest entry that is published: what an answer shows follows from it and those before it. */
async function newestLeaf(record: LogRecord): Promise<Pick<PaidAnswer, 'leafHash' | 'seq'>> {
  const size = record.published?.size ?? 0;
  if (size === 0) return { leafHash: null, seq: null };
  const seq = size - 1;
  const index = Math.floor(seq / TILE_WIDTH);
  const width = size - index * TILE_WIDTH;
  const tile = await record.tile({ level: 0, index, width });
  const leaf = tile === undefined ? undefined : parseHashTile(tile, width).at(-1);
  return leaf === undefined ? { leafHash: null, seq: null } : { leafHash: hashHex(leaf), seq };
}
