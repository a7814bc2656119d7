import type { Voucher } from '@assay/node/mcp/voucher';
import { open } from '@assay/verifier/open';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { nodeEnvironment } from '../process/node-environment.ts';

/**
 * The verifier of this machine for the log at `url`, with a key that somebody other than its server vouched for. The
 * head of the log is remembered for as long as the process runs. Throws as `open` for a key that is none.
 */
export async function localVoucher(url: string, key: string): Promise<Voucher> {
  const environment = nodeEnvironment(undefined, true);
  const log = await open(url, { key, environment });
  const policy = { ...OPEN_POLICY, checkpoint_keys: [key], complete: false };
  return {
    number: (index, period) => log.number(index, period),
    bundle: (bytes, asked) =>
      verify({ kind: 'bundle', bytes }, policy, {
        number: asked,
        environment,
        now: Math.floor(Date.now() / 1000),
      }),
  };
}
