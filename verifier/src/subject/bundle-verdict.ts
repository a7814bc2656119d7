import type { Policy } from '../verdict/policy.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { verification, type VerifyOptions } from './verification.ts';
import { verifyBundle } from './verify-bundle.ts';

/**
 * The verdict on one bundle, as `verify` gives it, without the code that checks a whole log: it is half as large, which
 * matters where code is fetched to check one number. Throws as `requirePolicy` for an invalid policy.
 */
export function bundleVerdict(
  bytes: Uint8Array,
  policy: Policy,
  options: VerifyOptions = {},
): Promise<Verdict> {
  return verification('bundle', policy, options, (session) => {
    if (options.chain !== undefined) {
      session.notChecked.add(
        'chain',
        'the accounts given',
        'a bundle brings those of its own print',
        'whole_log',
      );
    }
    return verifyBundle(session, bytes);
  });
}
