import { Fault } from '@assay/core/fault';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { option } from '../command/option.ts';
import { positive } from '../command/options.ts';
import type { Terminal } from '../command/tty.ts';
import { CLOSE_MS, closeOrExit } from '../process/closing.ts';
import { untilStopped } from '../process/stop.ts';
import { logUrl } from '../reader/log-url.ts';

const PORT = 8788;
const MOST_READERS = 64;
/** What a publisher's configuration has where nothing else is said. */
const PER_MINUTE = 120;
const LOG_PER_MINUTE = 6000;

const OPTIONS = {
  data: option('FOLDER')`
    Where the copy of the log is kept. A reader that is started again continues there. Without it the copy is in
    memory, and is fetched again at each start.`,
  key: option('VKEY')`
    The key of the log, as for verify. Without it, the key is the one that the log names itself.`,
  host: option('HOST', { fallback: '127.0.0.1' })`
    The address to listen on.`,
  port: option('PORT', { parse: portNumber, fallback: PORT })`
    The port to listen on. With 0 any free one is taken.`,
  readers: option('N', { parse: readerCount, fallback: 1 })`
    How many processes answer, each with a copy of its own. They share the port.`,
  metricsPort: option('PORT', { parse: portNumber })`
    Serves /metrics on this port of the same address: the size, silence, requests and memory of each reader. With 0 any
    free port is taken, which is printed. Nothing is served without it.`,
  trustedProxies: option('LIST')`
    Addresses or networks of proxies whose X-Forwarded-For is believed, with commas between them.`,
  requestsPerMinute: option('N', { parse: positive, fallback: PER_MINUTE })`
    Requests a minute that one client has at each process.`,
  logRequestsPerMinute: option('N', { parse: positive, fallback: LOG_PER_MINUTE })`
    The same for the log's own parts, counted apart.`,
} as const;

export const serveCommand: Command = command({
  name: 'serve',
  summary: 'Serve a log that is followed from its publisher.',
  about: `Follows the log at an address and serves it: the whole API, the pages and the stream of entries. Each entry is checked before it is shown: its signed head, its place in the tree, and its chain. What only the publisher can answer, such as a forecast, is passed on to it.

    With the token of the publisher, URL is its address for readers (readers_port in its configuration), entries come as they are published, and clients are counted by their own addresses. Without it, any log can be served from its public address, which is asked once a second. docs/readers.md explains both.`,
  operands: { url: { value: 'URL', about: 'The address of the publisher.' } },
  options: OPTIONS,
  variables: {
    ASSAY_READERS_TOKEN: "The publisher's token for its readers.",
    ASSAY_LOG_LEVEL: 'How much is logged, info unless it is set.',
  },
  exits: { 0: 'The readers were stopped.' },
  examples: {
    'assay serve https://index.example.org --data copy':
      'Serve a log from this machine, as anybody may.',
    'ASSAY_READERS_TOKEN=... assay serve http://10.0.0.5:8800 --data copy --readers 2':
      'Two readers of a publisher in the same network.',
  },
  run: serve,
});

async function serve(
  { url, ...given }: Given<typeof OPTIONS> & { readonly url: string },
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const base = logUrl(url);
  if (base === undefined) throw new UsageError(`${url} is no URL`);
  const { serveLog } = await import('@assay/node/serve/serve');
  const token = environment['ASSAY_READERS_TOKEN'];
  const starting = new AbortController();
  let serving: ReturnType<typeof serveLog> | undefined;
  const close = async (): Promise<void> => {
    starting.abort();
    const running = await serving?.catch(() => undefined);
    await running?.close();
  };
  const stopped = untilStopped(() => closeOrExit('serve', close, CLOSE_MS, terminal), terminal);
  serving = serveLog({
    publisher: {
      url: base,
      token: token === undefined || token === '' ? undefined : token,
    },
    folder: given.data ?? null,
    vkey: given.key ?? null,
    host: given.host,
    port: given.port,
    readers: given.readers,
    transport: 'auto',
    trustedProxies: given.trustedProxies?.split(',') ?? [],
    quotas: { default: given.requestsPerMinute, log: given.logRequestsPerMinute },
    logLevel: environment['ASSAY_LOG_LEVEL'] ?? 'info',
    metricsAt:
      given.metricsPort === undefined ? null : { host: given.host, port: given.metricsPort },
    signal: starting.signal,
  });
  try {
    const { port, metricsPort } = await serving;
    terminal.out(`http://${given.host}:${port} serves ${url}`);
    if (metricsPort !== undefined) {
      terminal.out(`http://${given.host}:${metricsPort}/metrics has the figures of its readers`);
    }
  } catch (error) {
    if (!starting.signal.aborted) throw wordsFor(error);
  }
  await stopped;
  return EXIT.ok;
}

/** A key that is none is a mistake in the command. */
function wordsFor(error: unknown): unknown {
  if (!(error instanceof Fault) || error.code !== 'bad_note') return error;
  return new UsageError(`--key is no verifier key: ${error.message}`);
}

function portNumber(text: string, name: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`${name} is a port, 0 to 65535`);
}

function readerCount(text: string, name: string): number {
  if (/^[0-9]{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_READERS) {
    return Number(text);
  }
  throw new UsageError(`${name} is a number from 1 to ${MOST_READERS}`);
}
