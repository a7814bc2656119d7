import type { Voucher } from '@assay/node/mcp/voucher';
import { open } from '@assay/verifier/open';
import type { Policy } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { memoryStorage, studyProofs } from './study-proofs.ts';
import { nodeEnvironment } from '../process/node-environment.ts';

/**
 * The verifier of this machine for the log at `url`, by a policy with one key of the log, which somebody other than its server
 * vouched for. The head of the log is remembered for as long as the process runs. Throws as `open` for a policy that is none.
 */
export async function localVoucher(url: string, policy: Policy): Promise<Voucher> {
  const environment = nodeEnvironment(undefined, true);
  const [key = ''] = policy.checkpoint_keys;
  const storage = memoryStorage();
  const log = await open(url, { key, policy, environment, storage });
  const studies = studyProofs(url, { key, policy, environment, storage });
  return {
    study: studies,
    number: (index, period) => log.number(index, period),
    bundle: (bytes, asked) =>
      verify({ kind: 'bundle', bytes }, policy, {
        number: asked,
        environment,
        now: Math.floor(Date.now() / 1000),
      }),
  };
}
