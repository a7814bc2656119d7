import { toHashHex } from '@assay/core/hash/hash';
import { PROOF_ROUTE } from '@assay/core/answer/routes';
import { problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import { foldedRoutes, unstamped } from './folded-routes.ts';
import { type ProofFiles, proofFileReply } from './proof-files.ts';
import type { Publication } from './publication.ts';

/** What stamps the record and what it has in all, and the proof of each digest: as the log says it, or as a file. */
export function proofRoutes(
  record: LogRecord,
  publication: Publication,
  files: ProofFiles,
): readonly Route[] {
  return foldedRoutes(record, publication, ['proofs'], {
    [PROOF_ROUTE.pattern]: (request, { format }) => {
      if (format === undefined) return undefined;
      const { digest = '' } = request.params;
      return proofFileReply(request, { publication, files }, toHashHex(digest), () =>
        problem(request, 'not_found', { detail: unstamped(record.shown, { digest }) }),
      );
    },
  });
}
