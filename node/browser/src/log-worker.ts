/** Checks a whole served log, and, where one is asked for, that a number is settled in it. */
import { timedFetch } from '@assay/verifier/client/timed-fetch';
import { httpReader } from '@assay/verifier/reader/http-reader';
import { logVerdict } from '@assay/verifier/subject/log-verdict';
import { PORTABLE } from '@assay/verifier/verdict/environment';
import { type Answer, answerOf } from './answer.ts';
import { type CheckTerms, limitsOf, nowS, numberOf, policyOf } from './check-terms.ts';
import { serveChecks, tell } from './serve-checks.ts';

/** What this worker checks. */
export interface LogRequest extends CheckTerms {
  /** The address of the log's server. */
  readonly url: string;
}

/** Milliseconds for each answer of the server. */
const ANSWER_MS = 30_000;
/** The milliseconds between two messages about the progress. */
const TOLD_MS = 250;

async function check(message: unknown): Promise<Answer> {
  const request = message as LogRequest;
  let told = 0;
  const progress = (done: number, total: number, what: string): void => {
    const now = performance.now();
    if (now - told < TOLD_MS) return;
    told = now;
    tell({ progress: { done, total, what } });
  };
  const reader = httpReader(request.url, timedFetch(ANSWER_MS));
  return answerOf(
    await logVerdict(reader, policyOf(request), {
      ...numberOf(request),
      environment: { ...PORTABLE, progress },
      limits: limitsOf(request),
      now: nowS(),
    }),
  );
}

serveChecks(check);
