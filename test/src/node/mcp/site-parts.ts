import { type ApiCall, type ApiCaller } from '@assay/node/call/api-caller';
import { BundleDesk } from '@assay/node/mcp/bundle-desk';
import type { ToolParts } from '@assay/node/mcp/tool';
import type { Site } from '../../verifier/fixture/published.ts';

const NOTHING = { status: 404, body: new Uint8Array() } as const;

/** What tools work with over a log at rest. `onCall` sees each call before it is answered. */
export function siteParts(
  site: Site,
  change: Partial<ToolParts> = {},
  onCall: (call: ApiCall) => void | Promise<void> = () => undefined,
): ToolParts {
  const api: ApiCaller = {
    base: 'http://log',
    call: async (call) => {
      await onCall(call);
      const found = site.get(call.target.replace(/^\/v1(?=\/)/, ''));
      return found === undefined ? NOTHING : { status: found.status, body: found.body };
    },
  };
  const bundles = new BundleDesk();
  return { api, vouching: { by: 'publisher' }, now: () => 1_800_000_000, bundles, ...change };
}
