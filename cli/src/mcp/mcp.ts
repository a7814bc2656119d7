import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '@assay/core/fault';
import { OPEN_POLICY, type Policy } from '@assay/verifier/verdict/policy';
import { printable } from '@assay/verifier/verdict/printable';
import { command, type Command, type Given } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';
import { logUrl } from '../reader/log-url.ts';
import { untilStopped } from '../process/stop.ts';
import { POLICY_OPTIONS, policyOf } from '../verify/policy-options.ts';

/** Whom the verifier trusts. A single number cannot show that nothing is missing. */
const { complete: _, ...TRUST_OPTIONS } = POLICY_OPTIONS;

export const mcpCommand: Command = command({
  name: 'mcp',
  summary: 'Offer a log as tools to a program that speaks MCP.',
  about: `Speaks the Model Context Protocol on standard input and output, for a program that starts it as a child, such as an assistant. The tools read the server at URL and submit forecasts to it.

    With --key, a verifier on this machine proves the value, the unit and the status of every number of an index before it is shown, and each answer has its verdict. What is refused is not shown. Witnesses and co-signers that are named must have signed as well, as with assay verify. Without a key nobody vouches for the numbers, and no answer has a verdict.`,
  operands: { url: { value: 'URL', about: 'The server of the log.' } },
  options: TRUST_OPTIONS,
  exits: { 0: 'The input was closed, or the command was stopped.' },
  examples: {
    'assay mcp https://index.example.org --key NAME+ID+BASE64':
      'Let an assistant read numbers that this machine verifies.',
    'assay mcp https://index.example.org --policy policy.json':
      'Believe a number only with the witnesses and co-signers of a policy file.',
  },
  run: ({ url, ...given }, terminal) => serve(url, given, terminal),
});

/** Whom the numbers are believed with; null where no key is given. Throws `UsageError` for a policy that no number can meet. */
async function trustOf(given: Given<typeof TRUST_OPTIONS>): Promise<Policy | null> {
  const policy = await policyOf({ ...given, complete: false });
  const { checkpoint_keys: keys, complete } = policy;
  if (complete) {
    throw new UsageError('a policy that demands completeness is for a whole log: assay verify');
  }
  if (keys.length === 1) return policy;
  if (keys.length > 1) throw new UsageError('assay mcp takes one key of the log');
  // Without one there is no verdict, so that a further demand would be one that nobody holds the numbers against.
  if (!isDeepStrictEqual(policy, OPEN_POLICY)) {
    throw new UsageError('what you demand of the numbers needs the key of the log: --key');
  }
  return null;
}

async function serve(
  target: string,
  given: Given<typeof TRUST_OPTIONS>,
  terminal: Terminal,
): Promise<ExitCode> {
  const url = logUrl(target);
  if (url === undefined) throw new UsageError(`${target} is no URL`);
  const policy = await trustOf(given);
  const [{ httpCaller }, { localVoucher }, { BundleDesk }, { serveStdio }, { systemClock }] =
    await Promise.all([
      import('./http-caller.ts'),
      import('./local-voucher.ts'),
      import('@assay/node/mcp/bundle-desk'),
      import('@assay/node/mcp/stdio'),
      import('@assay/node/platform/clock'),
    ]);
  const vouching =
    policy === null
      ? ({ by: 'nobody' } as const)
      : ({ by: 'verifier', voucher: await localVoucher(url, policy) } as const);
  const bundles = new BundleDesk();
  const parts = { api: httpCaller(url), vouching, now: systemClock, bundles };
  const onError = (error: unknown): void => terminal.error(printable(messageOf(error)));
  const stopping = new AbortController();
  const served = serveStdio(parts, onError, stopping.signal);
  const stopped = untilStopped(() => {
    stopping.abort();
    return served;
  }, terminal);
  await Promise.race([served, stopped]);
  return EXIT.ok;
}
