import type { Sha256 } from '@assay/core/hash/hash';
import { toHashHex } from '@assay/core/hash/hash';
import { ANCHORS_PATH } from '@assay/core/answer/answer';
import { PROOF_PATH } from '@assay/core/answer/proof';
import { stampRow } from '@assay/core/view/stamps';
import type { BlobStore } from '../blob/blob-store.ts';
import { problem } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import { ProofFiles } from './proof-files.ts';
import { getProof, listAnchors } from './operation/proof-operations.ts';
import type { Publication } from './publication.ts';

/** What stamps the record: batches, and the proof of each digest. */
export function proofRoutes(
  record: LogRecord,
  publication: Publication,
  blobs: Pick<BlobStore, 'read'>,
  sha256: Sha256,
): readonly Route[] {
  const files = new ProofFiles(record, blobs, sha256);

  const proof = async (
    request: ApiRequest<'digest'>,
    query: { readonly format?: 'ots' | undefined } = {},
  ): Promise<ApiReply> => {
    if (!publication.readable) return halted(request);
    const digest = toHashHex(request.params.digest);
    if (query.format === undefined) {
      return publication.reply(request, `${PROOF_PATH}/${digest}`) ?? unstamped(request, record);
    }
    const file = await files.fileOf(digest);
    if (file === 'unstamped') return unstamped(request, record);
    if (file === 'unreadable') {
      return problem(request, 'halted', {
        detail: 'The timestamp of the batch that holds it cannot be read now.',
      });
    }
    return publication.represented(request, file);
  };

  const anchors = (
    request: ApiRequest,
    { before }: { readonly before?: string | undefined } = {},
  ): ApiReply => {
    const path = before === undefined ? ANCHORS_PATH : `${ANCHORS_PATH}?before=${before}`;
    return publication.reply(request, path) ?? halted(request);
  };

  return [
    route('GET', ANCHORS_PATH, anchors, { budget: 'log', operation: listAnchors }),
    route('GET', '/proof/:digest', proof, { budget: 'log', operation: getProof }),
  ];
}

/** Why a digest has no proof. */
function unstamped(request: ApiRequest<'digest'>, { shown }: LogRecord): ApiReply {
  const waiting = stampRow(shown, toHashHex(request.params.digest));
  const detail =
    waiting === undefined
      ? 'Nothing in the log has that digest: it is the hash of no report, Close or stamped checkpoint.'
      : `The ${waiting.of} of entry ${waiting.seq} has that digest, and waits for the next batch.`;
  return problem(request, 'not_found', { detail });
}

function halted(request: Pick<ApiRequest, 'path'>): ApiReply {
  return problem(request, 'halted', { detail: 'The record cannot be read now: /status says why.' });
}
