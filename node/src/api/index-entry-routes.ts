import { toHashHex, type Sha256 } from '@assay/core/hash/hash';
import { IndexFold } from '@assay/core/view/completeness-fold';
import { jsonBody } from '@assay/core/answer/answer';
import { INDEX_PATH, indexProofPayload } from '@assay/core/answer/completeness';
import type { SortedTree } from '@assay/core/completeness/sorted-tree';
import { newestIndex, type IndexRow } from '@assay/core/view/completeness';
import { stampRow } from '@assay/core/view/stamps';
import { problem } from '../http/problem.ts';
import { JSON_TYPE } from '../http/reply.ts';
import { representation } from '../http/representation.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import { getIndexEntry, getIndexProof } from './operation/index-entry-operations.ts';
import type { Publication } from './publication.ts';

/** What the log has in all: its index entries, and what the newest has of a report's period. */
export function indexEntryRoutes(
  record: LogRecord,
  publication: Publication,
  sha256: Sha256,
): readonly Route[] {
  let fold: IndexFold | undefined;
  // The published log only grows, and its newest index entry with it: what is new to it is taken up once.
  const printsOf = ({ size }: IndexRow): SortedTree => {
    fold ??= new IndexFold(sha256);
    if (fold.size < size) fold.at(record.shown, size);
    return fold.prints;
  };

  const entry = (
    request: ApiRequest,
    { day }: { readonly day?: string | undefined } = {},
  ): ApiReply => {
    if (!publication.readable) return halted(request);
    const path = day === undefined ? INDEX_PATH : `${INDEX_PATH}?day=${day}`;
    const detail =
      day === undefined
        ? 'The log has no index entry yet: the first comes when a day has ended.'
        : 'The log has no index entry of that day.';
    return publication.reply(request, path) ?? problem(request, 'not_found', { detail });
  };

  const proof = (request: ApiRequest<'report'>): ApiReply => {
    if (!publication.readable) return halted(request);
    const report = toHashHex(request.params.report);
    const payload = indexProofPayload(record.shown, sha256, report, printsOf);
    if (payload === undefined) return uncovered(request, record);
    const source = { contentType: JSON_TYPE, body: jsonBody(payload), cacheControl: REVALIDATE };
    return publication.represented(request, representation(source));
  };

  return [
    route('GET', INDEX_PATH, entry, { budget: 'log', operation: getIndexEntry }),
    route('GET', '/index/:report', proof, { budget: 'log', operation: getIndexProof }),
  ];
}

const REVALIDATE = 'public, no-cache';

/** Why a report is in no index entry. */
function uncovered(request: ApiRequest<'report'>, { shown }: LogRecord): ApiReply {
  const stamp = stampRow(shown, toHashHex(request.params.report));
  const size = newestIndex(shown)?.size;
  const detail =
    stamp?.of === 'report'
      ? `The report of entry ${stamp.seq} waits for an index entry: the newest covers ${size ?? 'no'} entries.`
      : 'No report of the log has that hash.';
  return problem(request, 'not_found', { detail });
}

function halted(request: Pick<ApiRequest, 'path'>): ApiReply {
  return problem(request, 'halted', { detail: 'The record cannot be read now: /status says why.' });
}
