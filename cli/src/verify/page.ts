import { Assets, VERDICT_ASSETS } from '@assay/node/page/asset';
import { startLocalPage } from '@assay/node/page/local-page';
import { messageOf } from '@assay/core/fault';
import { printable } from '@assay/verifier/verdict/printable';
import { command, type Command, type Given } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { flag, option } from '../command/option.ts';
import { paint, type Terminal } from '../command/tty.ts';
import { CLOSE_MS, closeOrExit } from '../process/closing.ts';
import { untilStopped } from '../process/stop.ts';
import { logUrl } from '../reader/log-url.ts';

const PORT = 8790;

const OPTIONS = {
  port: option('PORT', { parse: portNumber, fallback: PORT })`
    The port of the page on this machine. With 0 any free one is taken.`,
  hash: flag`
    Print the SHA-256 of each file of the verifier, and serve nothing.`,
} as const;

export const pageCommand: Command = command({
  name: 'page',
  summary: 'Serve the page that verifies from this machine.',
  about: `Serves the page /verify of a publisher from this machine, on 127.0.0.1 alone, for somebody who would rather check in a browser than read what a command prints. A page that a publisher serves could lie about that publisher. The code of this one comes from the package that is installed here, and only the numbers come from the publisher.

    With URL, the page can read the log at that address and nothing else. Without it, the page checks files.`,
  operands: {
    url: { value: 'URL', about: 'The address of the log that the page may read.', optional: true },
  },
  options: OPTIONS,
  exits: { 0: 'The page was stopped, or the hashes were printed.' },
  examples: {
    'assay page https://index.example.org': 'Check numbers of a log in a browser.',
    'assay page --hash': "Compare the verifier with that of a publisher's page.",
  },
  run: servePage,
});

function portNumber(text: string, name: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 65_536;
  if (port < 65_536) return port;
  throw new UsageError(`${name} is a number from 0 to 65535`);
}

async function servePage(
  { url: target, port, hash }: Given<typeof OPTIONS> & { readonly url?: string | undefined },
  terminal: Terminal,
): Promise<ExitCode> {
  if (hash) {
    const assets = new Assets();
    for (const name of VERDICT_ASSETS) terminal.out(`${assets.get(name).sha256}  ${name}`);
    return EXIT.ok;
  }
  const url = target === undefined ? null : logUrl(target);
  if (url === undefined) throw new UsageError(`${target} is no URL`);
  const onError = (error: unknown): void => terminal.error(printable(messageOf(error)));
  const page = await startLocalPage({ port, url, onError });
  terminal.out(`The page is at ${paint(terminal, 'bold', `http://127.0.0.1:${page.port}/verify`)}`);
  terminal.out(
    url === null
      ? '  it checks files, and can read no log'
      : `  it reads ${printable(url)}, and nothing else`,
  );
  terminal.out('  Stop with Ctrl-C.');
  await untilStopped(() => closeOrExit('page', page.close, CLOSE_MS, terminal), terminal);
  return EXIT.ok;
}
