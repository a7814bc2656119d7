import { errorCode } from '@assay/node/platform/durable-file';
import { Fault } from '@assay/core/fault';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningDemo } from '@assay/node/dev/demo';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { closeOrExit } from '../process/closing.ts';
import { untilStopped } from '../process/stop.ts';
import { listed } from '../command/parse.ts';
import { paint, slowProgress, type Terminal } from '../command/tty.ts';

const OPTIONS = {
  weekSeconds: option('N', { parse: weekLength })`
    How many real seconds a simulated week takes once the history is loaded, from 1 to 86400. It
    is 12600 without this option: a day takes half an hour.`,
  indices: option('NAMES')`
    Run these indexes alone, with commas between them, such as LAYOFFS,cpi, and no market. All
    of them run without this option, and the market.`,
} as const;

export const demoCommand: Command = command({
  name: 'demo',
  summary: 'Run a whole network on this machine, from a checkout of the repository.',
  about: `Runs the development network on this machine and asks nothing outside it. It loads fifteen weeks of history, and then a simulated day lasts half an hour. All eleven indexes run, with a market of eleven assets, and two recounters in processes of their own. Some figures were typed in as they were published, and the others are invented, among them all prices and volumes of the market. The origin of the log begins with development/, and nothing in it may be settled on.

    The demo needs a checkout of the repository, because the published packages leave it out.`,
  operands: {},
  options: OPTIONS,
  variables: {
    ASSAY_PORT: 'The port, 8787 unless it is set. With 0 any free port is taken.',
    ASSAY_HOST: 'The address to listen on, 127.0.0.1 unless it is set.',
    ASSAY_CHAIN_PORT:
      'The port of the Solana chain, any free one unless it is set. Its subscriptions have the next port.',
    ASSAY_DATA:
      'A folder for the data, which stays and which a later demo goes on in. Without it the demo uses a temporary folder and removes it at its end.',
    ASSAY_LOG_LEVEL: 'How much is logged, warn unless it is set.',
  },
  exits: { 0: 'The demo was stopped.' },
  examples: {
    'assay demo': 'Run all indexes and the market.',
    'assay demo --indices LAYOFFS,cpi --week-seconds 60': 'Run two of them, a week in a minute.',
  },
  run: runDemo,
});

function weekLength(text: string, name: string): number {
  const seconds = Number(text);
  if (seconds >= 1 && seconds <= 86_400) return seconds;
  throw new UsageError(`${name} is a number from 1 to 86400`);
}

/** How often a start tells its progress to a file or a pipe, in milliseconds. */
const PROGRESS_MS = 2000;
/** How many milliseconds a demo may take to close, on any machine. */
const CLOSE_MS = 60_000;

async function runDemo(
  given: Given<typeof OPTIONS>,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const [{ startDemo, DEMO_WEEK_SECONDS }, { DEVELOPMENT_INDICES }, { makeLogger }] =
    await Promise.all([
      import('@assay/node/dev/demo'),
      import('@assay/node/dev/development-indices'),
      import('@assay/node/production/logger'),
    ]).catch((error: unknown) => {
      if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
      const expected = "a checkout of Assay's repository: the published packages have no demo";
      throw new Fault('not_found', 'demo', { expected, cause: error });
    });
  const indices = given.indices?.split(',') ?? DEVELOPMENT_INDICES;
  const known: readonly string[] = DEVELOPMENT_INDICES;
  if (new Set(indices).size !== indices.length || !indices.every((name) => known.includes(name))) {
    throw new UsageError(`--indices takes some of ${known.join(',')}, each once`);
  }
  const named = environment['ASSAY_DATA'];
  const kept = named !== undefined && named !== '';
  const data = kept ? named : await mkdtemp(join(tmpdir(), 'assay-demo-'));
  const clean = kept ? () => undefined : cleanWhenEnded(data);
  try {
    return await serve(data, kept);
  } finally {
    clean();
    if (!kept) await rm(data, { recursive: true, force: true });
  }

  async function serve(folder: string, stays: boolean): Promise<ExitCode> {
    const log = makeLogger(environment['ASSAY_LOG_LEVEL'] ?? 'warn');
    const started = performance.now();
    const weekSeconds = given.weekSeconds ?? DEMO_WEEK_SECONDS;
    const market = given.indices === undefined;
    const progress = slowProgress(terminal, () => performance.now(), PROGRESS_MS);
    const node = await startDemo({
      data: folder,
      temporary: !stays,
      environment,
      log,
      weekSeconds,
      indices,
      market,
      onProgress: ({ part, done, of }) => progress.tell(done, of, part),
    }).finally(progress.end);
    const host = environment['ASSAY_HOST'] ?? '127.0.0.1';
    const base = `http://${host.includes(':') ? `[${host}]` : host}:${node.port}`;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const entries = node.ledger.published?.size ?? 0;
    const lines = [
      `${paint(terminal, 'bold', 'Assay')} serves the development network at ${paint(terminal, 'bold', base)}`,
      `  ${entries} entries, ready in ${seconds} s, by ${node.transport}, data in ${folder}${stays ? '' : ' until it stops'}`,
      `  ${paint(terminal, 'yellow', 'development:')} nothing here may be settled on`,
      `  clock: a simulated day lasts ${spanText(weekSeconds / 7)}, and four hours ${spanText(weekSeconds / 42)}`,
      ...figureLines(indices),
      ...(market
        ? ['  market: eleven crypto assets, whose prices and volumes are invented: /board']
        : []),
      `  stamps: calendars at ${node.calendars.join(' and ')}, Bitcoin RPC of the same blocks at ${node.bitcoinRpc}`,
      ...recounterLines(node.recounters(), base),
      chainLine(node.chain),
      ...tierLines(node.chain),
      '',
      'To try in another terminal:',
      ...trialLines(indices, base, market),
      '',
      'Stop with Ctrl-C.',
    ];
    for (const line of lines) terminal.out(line);
    await untilStopped(() => closeOrExit('demo', node.close, CLOSE_MS, terminal), terminal);
    return EXIT.ok;
  }
}

/** A span of real time in seconds, as text. */
export function spanText(seconds: number): string {
  if (seconds < 1) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 120) return `${Number(seconds.toFixed(1))} s`;
  return `${Number((seconds / 60).toFixed(1))} min`;
}

/** The newest period of each index whose figures were typed in as they were published. */
const TYPED_TO: Readonly<Record<string, string>> = {
  LAYOFFS: '2026-07-25',
  unemp: '2026-06',
  cpi: '2026-06',
  corecpi: '2026-06',
};

/** Which figures of the indexes that run were published, and which are invented. */
export function figureLines(indices: readonly string[]): readonly string[] {
  const typed = indices.filter((name) => name in TYPED_TO);
  const whole = indices.filter((name) => !(name in TYPED_TO));
  const ends = [...new Set(typed.map((name) => TYPED_TO[name]))].map(
    (end) =>
      `${listed(
        typed.filter((name) => TYPED_TO[name] === end),
        'and',
      )} to ${end}`,
  );
  const invented = [
    ...(typed.length === 0 ? [] : ['all that comes after']),
    ...(whole.length === 0 ? [] : [`${listed(whole, 'and')} whole`]),
  ];
  return [
    ...(typed.length === 0 ? [] : [`  typed in as published: ${ends.join('; ')}`]),
    `  invented: ${invented.join('; ')}`,
  ];
}

/** Command lines that work with the indexes that run. */
export function trialLines(
  indices: readonly string[],
  base: string,
  hasRounds: boolean,
): readonly string[] {
  const hasClaims = indices.includes('LAYOFFS');
  const bundle = `npx assay bundle ${base} --index LAYOFFS --period ${TYPED_TO['LAYOFFS']} -o number.json`;
  return [
    `  curl ${base}/indices/${hasClaims ? 'LAYOFFS' : indices[0]}/history.csv`,
    `  npx assay verify ${base}`,
    ...(hasClaims ? [`  ${bundle} && npx assay verify number.json`] : []),
    ...(hasRounds ? [`  npx assay forecast standing ${base}`] : []),
  ];
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Makes a signal remove the folder and end the process, as long as nothing else listens for it: while the demo
 * starts, and for a second signal after that. Returns a function that ends this.
 */
function cleanWhenEnded(folder: string): () => void {
  const remove = (): void => removeBusy(folder);
  const stop = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) === 1) process.exit(130);
  };
  process.on('exit', remove);
  for (const signal of SIGNALS) process.on(signal, stop);
  return () => {
    process.off('exit', remove);
    for (const signal of SIGNALS) process.off(signal, stop);
  };
}

/** How many times a folder is removed before what is created in it meanwhile is left. */
const REMOVALS = 100;

/**
 * Removes a folder, in which the database may create files until the process has ended. It leaves the exit code
 * unchanged.
 */
function removeBusy(folder: string): void {
  for (let i = 0; i < REMOVALS; i += 1) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      return;
    } catch {
      // A file was created meanwhile. The next try finds it.
    }
  }
}

function recounterLines(
  recounters: ReturnType<RunningDemo['recounters']>,
  base: string,
): readonly string[] {
  const places = recounters.map(({ name, url }) => `${name} at ${url}`).join(', ');
  if (places === '')
    return ['  recount: nobody, for no recounter could be started: nothing settles'];
  const witnesses = recounters.flatMap(({ name, witnessVkey }) =>
    witnessVkey === null ? [] : [`--witness ${name}=${witnessVkey}`],
  );
  return [
    `  recount: ${places}`,
    '    each a process with reads, keys and a log of its own: /status, /checkpoint, /findings',
    '    each cosigns the checkpoints of this log, some milliseconds after they are shown. Who has:',
    `    npx assay verify ${base} ${witnesses.join(' ')} --witnesses 0`,
  ];
}

function tierLines(chain: RunningDemo['chain']): readonly string[] {
  if (chain === null || chain.facilitator === null) return [];
  return [
    `  machine tier: open, paid with tokens of that chain by x402 (docs/tier-buyers.md), facilitator ${chain.facilitator}`,
  ];
}

function chainLine(chain: RunningDemo['chain']): string {
  if (chain === null) {
    return '  chain: none, for the optional package litesvm is not here: nothing is posted';
  }
  const { rpc, program, publisher } = chain;
  return `  chain: RPC ${rpc}, program ${program}, publisher key ${publisher}`;
}
