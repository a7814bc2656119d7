import { messageOf } from '@assay/core/fault';
import { printable } from '@assay/verifier/verdict/printable';
import { command, type Command } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { option } from '../command/option.ts';
import type { Terminal } from '../command/tty.ts';
import { logUrl } from '../reader/log-url.ts';
import { untilStopped } from '../process/stop.ts';

export const mcpCommand: Command = command({
  name: 'mcp',
  summary: 'Offer a log as tools to a program that speaks MCP.',
  about: `Speaks the Model Context Protocol on standard input and output, for a program that starts it as a child, such as an assistant. The tools read the server at URL and submit forecasts to it.

    With --key, a verifier on this machine proves the value, the unit and the status of every number of an index before it is shown, and each answer has its verdict. What is refused is not shown. Without a key nobody vouches for the numbers, and no answer has a verdict.`,
  operands: { url: { value: 'URL', about: 'The server of the log.' } },
  options: {
    key: option('VKEY')`
      The verifier key of the log, from somebody other than its server.`,
  },
  exits: { 0: 'The input was closed, or the command was stopped.' },
  examples: {
    'assay mcp https://index.example.org --key NAME+ID+BASE64':
      'Let an assistant read numbers that this machine verifies.',
  },
  run: ({ url, key }, terminal) => serve(url, key, terminal),
});

async function serve(
  target: string,
  key: string | undefined,
  terminal: Terminal,
): Promise<ExitCode> {
  const url = logUrl(target);
  if (url === undefined) throw new UsageError(`${target} is no URL`);
  const [{ httpCaller }, { localVoucher }, { serveStdio }, { systemClock }] = await Promise.all([
    import('./http-caller.ts'),
    import('./local-voucher.ts'),
    import('@assay/node/mcp/stdio'),
    import('@assay/node/platform/clock'),
  ]);
  const vouching =
    key === undefined
      ? ({ by: 'nobody' } as const)
      : ({ by: 'verifier', voucher: await localVoucher(url, key) } as const);
  const parts = { api: httpCaller(url), vouching, now: systemClock };
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
