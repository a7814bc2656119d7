import type { Sha256 } from '@assay/core/hash/hash';
import { jsonBody } from '@assay/core/answer/answer';
import {
  datasetCsv,
  DATASET_PATH,
  datasetPayload,
  datasetStart,
  DEFAULT_DATASET_ROWS,
} from '@assay/core/answer/terminal/dataset';
import { RECEIPTS_PATH } from '@assay/core/answer/terminal/receipts';
import {
  type NoReceiptProof,
  receiptProofPayload,
  type ReceiptProofPayload,
} from '@assay/core/answer/terminal/receipt-proof';
import { RECEIPT_PROOF_PATH, type StampPoint } from '@assay/core/answer/terminal/terminal-event';
import { toHashHex } from '@assay/core/hash/hash';
import { type DateText, toDate } from '@assay/core/time/time';
import type { BlobStore } from '../blob/blob-store.ts';
import { problem } from '../http/problem.ts';
import { JSON_TYPE } from '../http/reply.ts';
import { representation } from '../http/representation.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import { KeptAnswers } from './kept-answers.ts';
import { ProofFiles } from './proof-files.ts';
import type { Publication } from './publication.ts';
import { getDataset, getReceiptProof, listReceipts } from './operation/receipt-operations.ts';

const CSV_TYPE = 'text/csv; charset=utf-8';
const REVALIDATE = 'public, no-cache';
/** Datasets kept ready: some MB each. */
const MAX_DATASETS = 8;

interface DatasetInput {
  readonly since?: string | undefined;
  readonly format?: 'json' | 'csv' | undefined;
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
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
  blobs: Pick<BlobStore, 'read'>,
  sha256: Sha256,
  start?: DateText,
): readonly Route[] {
  const files = new ProofFiles(record, blobs, sha256);
  const datasets = new KeptAnswers(MAX_DATASETS);

  const receipts = (
    request: ApiRequest,
    { limit }: { readonly limit?: string | undefined } = {},
  ): ApiReply => {
    const path = limit === undefined ? RECEIPTS_PATH : `${RECEIPTS_PATH}?limit=${limit}`;
    return publication.reply(request, path) ?? halted(request);
  };

  const dataset = (request: ApiRequest, input: DatasetInput = {}): ApiReply => {
    if (!publication.readable) {
      return problem(request, 'halted', { detail: UNREADABLE, members: { halted: true } });
    }
    const first = start ?? datasetStart(record.shown);
    const since = input.since === undefined || input.since < first ? first : toDate(input.since);
    const limit = Number(input.limit ?? DEFAULT_DATASET_ROWS);
    const offset = Number(input.offset ?? 0);
    const csv = input.format === 'csv';
    const version = String(record.published?.size ?? 0);
    const path = `${since} ${limit} ${offset} ${csv}`;
    const shown = datasets.answer(path, version, 0, () => {
      const payload = datasetPayload(record.shown, { since, limit, offset });
      return {
        shown: representation({
          contentType: csv ? CSV_TYPE : JSON_TYPE,
          body: csv ? datasetCsv(payload.rows) : JSON.stringify(payload),
          cacheControl: REVALIDATE,
          headers: csv ? [['content-disposition', `attachment; filename="${CSV_NAME}"`]] : [],
        }),
        until: Number.POSITIVE_INFINITY,
      };
    });
    return publication.represented(request, shown);
  };

  const proof = async (request: ApiRequest, input: ProofInput): Promise<ApiReply> => {
    if (!publication.readable) return halted(request);
    const { horizon } = input;
    const id = input.event_id.toLowerCase();
    const found = receiptProofPayload(record.shown, sha256, id, horizon);
    if (typeof found === 'string') return noProof(request, found, id, horizon);
    if (input.format === undefined) {
      const source = { contentType: JSON_TYPE, body: jsonBody(found), cacheControl: REVALIDATE };
      return publication.represented(request, representation(source));
    }
    return proofFile(request, found);
  };

  const proofFile = async (
    request: ApiRequest,
    { digest, event_id, horizon }: ReceiptProofPayload,
  ): Promise<ApiReply> => {
    const file = await files.fileOf(toHashHex(digest));
    if (file === 'unstamped') return noProof(request, file, event_id, horizon);
    if (file === 'unreadable') {
      return problem(request, 'halted', {
        detail: 'The timestamp of the batch that holds it cannot be read now.',
      });
    }
    return publication.represented(request, file);
  };

  return [
    route('GET', RECEIPTS_PATH, receipts, { operation: listReceipts }),
    route('GET', DATASET_PATH, dataset, { operation: getDataset }),
    route('GET', RECEIPT_PROOF_PATH, proof, { operation: getReceiptProof }),
  ];
}

const CSV_NAME = 'assay-receipts.csv';
const UNREADABLE = 'The record cannot be read now: /status says why.';

function halted(request: Pick<ApiRequest, 'path'>): ApiReply {
  return problem(request, 'halted', { detail: UNREADABLE });
}

function noProof(
  request: ApiRequest,
  reason: NoReceiptProof,
  id: string,
  horizon: StampPoint,
): ApiReply {
  const record = horizon === 'open' ? 'event' : `${horizon} receipt`;
  const details: Readonly<Record<NoReceiptProof, string>> = {
    unknown: `There is no event ${id}.`,
    not_resolved: `The ${record} of event ${id} is not there yet.`,
    unstamped: `The ${record} of event ${id} waits for the next batch.`,
  };
  return problem(request, 'not_found', { detail: details[reason] });
}
