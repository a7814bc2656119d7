import type { LogReader } from '../reader/log-reader.ts';
import type { Policy } from '../verdict/policy.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { verification, type VerifyOptions } from './verification.ts';
import { verifyLog } from './verify-log.ts';

/** The verdict on a served log, as `verify` gives it, without the code for bundles and folders. Throws as `requirePolicy`. */
export function logVerdict(
  reader: LogReader,
  policy: Policy,
  options: VerifyOptions = {},
): Promise<Verdict> {
  return verification('log', policy, options, (session) => verifyLog(session, reader));
}
