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
  files: ProofFiles,
  sha256: Sha256,
  start?: DateText,
): readonly Route[] {
  const dataset = (request: ApiRequest, input: DatasetInput = {}): ApiReply => {
    if (!publication.readable) {
      return problem(request, 'halted', { detail: UNREADABLE, members: { halted: true } });
    }
    const first = start ?? datasetStart(record.shown);
    const since = input.since === undefined || input.since < first ? first : toDate(input.since);
    const limit = Number(input.limit ?? DEFAULT_DATASET_ROWS);
    const offset = Number(input.offset ?? 0);
    const csv = input.format === 'csv';
    const name = `${DATASET_PATH} ${since} ${limit} ${offset} ${csv}`;
    const known = publication.cache.get(name, publication.version);
    if (known !== undefined) return publication.reply(request, known);
    const payload = datasetPayload(record.shown, { since, limit, offset });
    const shown = csv
      ? fileShown(CSV_TYPE, datasetCsv(payload.rows), CSV_NAME)
      : jsonShown(JSON.stringify(payload));
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
    ...foldedRoutes(record, publication, ['terminal']),
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
