/** Checks a file that somebody chose: a bundle, or an OpenTimestamps proof. It asks nobody for anything, and cannot. */
import { messageOf } from '@assay/core/fault';
import { bundleVerdict } from '@assay/verifier/subject/bundle-verdict';
import { type Answer, answerOf, notVerified } from './answer.ts';
import { type CheckTerms, limitsOf, nowS, numberOf, policyOf } from './check-terms.ts';
import { serveChecks } from './serve-checks.ts';
import { checkStamp } from './stamp-check.ts';

/** What this worker checks. */
export type FileRequest =
  | (CheckTerms & { readonly kind: 'bundle'; readonly bytes: ArrayBuffer })
  | { readonly kind: 'ots'; readonly bytes: ArrayBuffer; readonly file: ArrayBuffer | null };

async function check(message: unknown): Promise<Answer> {
  const request = message as FileRequest;
  const bytes = new Uint8Array(request.bytes);
  if (request.kind === 'ots') {
    try {
      return checkStamp(bytes, request.file === null ? null : new Uint8Array(request.file));
    } catch (error) {
      const why = `The file is no OpenTimestamps proof, or it was damaged: ${messageOf(error)}.`;
      return notVerified('bad_proof', why);
    }
  }
  return answerOf(
    await bundleVerdict(bytes, policyOf(request), {
      ...numberOf(request),
      limits: limitsOf(request),
      now: nowS(),
    }),
  );
}

serveChecks(check);
