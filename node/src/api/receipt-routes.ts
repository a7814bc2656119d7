import type { Sha256 } from '@assay/core/hash/hash';
import { jsonBody } from '@assay/core/answer/answer';
import {
  datasetCsv,
  DATASET_PATH,
  datasetPayload,
  datasetStart,
  DEFAULT_DATASET_ROWS,
} from '../terminal/answer/dataset.ts';
import { type NoReceiptProof, receiptProofPayload } from '../terminal/answer/receipt-proof.ts';
import { RECEIPT_PROOF_PATH, type StampPoint } from '@assay/core/answer/terminal/terminal-event';
import { toHashHex } from '@assay/core/hash/hash';
import { type DateText, toDate } from '@assay/core/time/time';
import {
  DEFAULT_RECEIPTS,
  RECEIPTS_PATH,
  receiptsPage,
} from '@assay/core/answer/terminal/receipts';
import { closedCount } from '@assay/core/view/terminal-events';
import { nextQuery, pageStart } from './list/page-request.ts';
import { problem } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import { foldedRoutes, halted, UNREADABLE } from './folded-routes.ts';
import { type ProofFiles, proofFileReply } from './proof-files.ts';
import { CSV_TYPE, fileShown, jsonShown, type Publication } from './publication.ts';
import { getDataset, getReceiptProof } from './operation/receipt-operations.ts';

interface DatasetInput {
  readonly since?: string | undefined;
  readonly symbol?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly cursor?: string | undefined;
  readonly format?: 'json' | 'csv' | undefined;
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
}

interface ReceiptsInput {
  readonly limit?: string | undefined;
  readonly symbol?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly cursor?: string | undefined;
}

interface ProofInput {
  readonly event_id: string;
  readonly horizon: StampPoint;
  readonly format?: 'ots' | undefined;
}

/** What became of events: the newest, all of them as rows, and the proof of each. `start` is the dataset's first day; its own without. */
export function receiptRoutes(
  record: LogRecord,
  publication: Publication,
  files: ProofFiles,
  sha256: Sha256,
  start?: DateText,
): readonly Route[] {
  const dataset = (request: ApiRequest, input: DatasetInput = {}): ApiReply => {
    if (!publication.readable) {
      return problem(request, 'halted', { detail: UNREADABLE, members: { halted: true } });
    }
    const from = [input.from, input.since]
      .filter((day) => day !== undefined)
      .sort()
      .at(-1);
    const page = pageStart(request, 'dataset', { ...input, from }, closedCount(record.shown));
    if (!('after' in page)) return page;
    // The latest of the three days counts.
    const first: string = start ?? datasetStart(record.shown);
    const since = toDate([first, input.since ?? '', input.from ?? ''].sort().at(-1) ?? first);
    const limit = Number(input.limit ?? DEFAULT_DATASET_ROWS);
    const offset = Number(input.offset ?? 0);
    const symbol = input.symbol?.toUpperCase();
    const { to } = input;
    const csv = input.format === 'csv';
    const asked = { since, limit, offset, symbol, to, after: page.after };
    const name = `${DATASET_PATH} ${JSON.stringify(asked)} ${csv}`;
    const known = publication.cache.get(name, publication.version);
    if (known !== undefined) return publication.reply(request, known);
    const payload = datasetPayload(record.shown, asked);
    const { offset: _, ...others } = input;
    const next = nextQuery(others, payload.next_cursor);
    const shown = csv
      ? fileShown(CSV_TYPE, datasetCsv(payload.rows), CSV_NAME, next)
      : jsonShown(JSON.stringify(payload), next);
    return publication.reply(request, publication.cache.keep(name, publication.version, shown));
  };

  /** Pages of the list are no folded answers: `/receipts` alone is, with its `limit`. */
  const receipts = (request: ApiRequest, input: ReceiptsInput): ApiReply | undefined => {
    const { limit, ...others } = input;
    if (Object.values(others).every((value) => value === undefined)) return undefined;
    const page = pageStart(request, 'receipts', input, closedCount(record.shown));
    if (!('after' in page)) return page;
    const asked = {
      limit: Number(limit ?? DEFAULT_RECEIPTS),
      symbol: input.symbol?.toUpperCase(),
      from: input.from,
      to: input.to,
      after: page.after,
    };
    const name = `${RECEIPTS_PATH} ${JSON.stringify(asked)}`;
    const known = publication.cache.get(name, publication.version);
    if (known !== undefined) return publication.reply(request, known);
    const { payload, next } = receiptsPage(record.shown, sha256, asked);
    const body = JSON.stringify({ ...payload, next_cursor: next });
    const shown = jsonShown(body, nextQuery({ ...input }, next));
    return publication.reply(request, publication.cache.keep(name, publication.version, shown));
  };

  const proof = async (request: ApiRequest, input: ProofInput): Promise<ApiReply> => {
    if (!publication.readable) return halted(request);
    const { horizon } = input;
    const id = input.event_id.toLowerCase();
    const found = receiptProofPayload(record.shown, sha256, id, horizon);
    if (typeof found === 'string') return noProof(request, found, id, horizon);
    if (input.format === undefined) return publication.reply(request, jsonShown(jsonBody(found)));
    const unstamped = (): ApiReply => noProof(request, 'unstamped', id, horizon);
    return proofFileReply(request, { publication, files }, toHashHex(found.digest), unstamped);
  };

  return [
    ...foldedRoutes(record, publication, ['terminal'], {
      [RECEIPTS_PATH]: (request, input) => receipts(request, input),
    }),
    route('GET', DATASET_PATH, dataset, { operation: getDataset }),
    route('GET', RECEIPT_PROOF_PATH, proof, { operation: getReceiptProof }),
  ];
}

const CSV_NAME = 'assay-receipts.csv';

function noProof(
  request: ApiRequest,
  reason: NoReceiptProof,
  id: string,
  horizon: StampPoint,
): ApiReply {
  const record = horizon === 'open' ? 'opening' : `${horizon} receipt`;
  const details: Readonly<Record<NoReceiptProof, string>> = {
    unknown: `There is no event ${id}.`,
    not_resolved: `The ${record} of event ${id} is not there yet.`,
    unstamped: `The ${record} of event ${id} waits for the next batch.`,
  };
  return problem(request, 'not_found', { detail: details[reason] });
}
