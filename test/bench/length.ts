import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataFolder } from '@assay/node/platform/data-folder';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import type { Metered } from './meter.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const ASSAY = fileURLToPath(new URL('../../../cli/bin/assay.js', import.meta.url));
const METER = new URL('./meter.js', import.meta.url).href;
const LENGTHS = [10_000, 100_000, 1_000_000];
const BATCH = 1000;

/** Processor seconds of a start, and MiB of everything that goes over a whole log. */
const GOALS = { start: '2 s at 1,000,000', memory: 'below 300 MiB at 1,000,000' };

interface Measured {
  readonly what: string;
  readonly costs: (Metered | string)[];
}

/** What a start and the commands that go over a whole log cost, by the length of a log of notes. */
export async function lengthSection(short: boolean): Promise<string> {
  const lengths = short ? LENGTHS.slice(0, 2) : LENGTHS;
  const rows = new Map<string, Measured>();
  for (const entries of lengths) {
    const folder = await temporaryFolder('length');
    try {
      await writeLog(folder, entries);
      for (const [what, measure] of COMMANDS) {
        const row = rows.get(what) ?? { what, costs: [] };
        rows.set(what, row);
        row.costs.push(await measure(folder));
      }
    } finally {
      await removeFolder(folder);
    }
  }
  return `## The length of a log\n\n${formatCosts(lengths, [...rows.values()])}`;
}

/** Writes a log of short notes, as a node that has lived long has it. */
async function writeLog(folder: string, entries: number): Promise<void> {
  const now = (): number => 1_785_456_000;
  const data = dataFolder(join(folder, 'data'));
  await initData(data, nodeSha256, now, {
    origin: 'development/length',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const { store, guard, signed, checkpoints } = await openData(data, nodeSha256, {
    passphrase: undefined,
    sync: false,
  });
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store,
    guard,
    signed,
    signer: checkpoints,
    now,
    askHeads: null,
  });
  while (ledger.nextSeq < entries) {
    const left = Math.min(BATCH, entries - ledger.nextSeq);
    const drafts = Array.from({ length: left }, (_, i) => ({
      kind: 'note/1' as const,
      body: { text: `The note ${ledger.nextSeq + i} of a long log says nothing else than this.` },
    }));
    await ledger.write(() => drafts);
  }
  await ledger.close();
  const config = {
    data: 'data',
    contact: 'bench@example.org',
    port: 0,
    poll_s: 3600,
    calendars: [],
    bitcoin_explorers: [],
  };
  await writeFile(join(folder, 'node.json'), JSON.stringify(config));
}

type Measure = (folder: string) => Promise<Metered | string>;

const COMMANDS: readonly (readonly [what: string, measure: Measure])[] = [
  ['start, to the first answer and back', (folder) => start(folder)],
  ['`verify FOLDER`', (folder) => run(folder, ['verify', join(folder, 'data')])],
  ['`export`', (folder) => exported(folder)],
  ['`recover`', (folder) => run(folder, ['recover', join(folder, 'data')])],
  ['`rebuild`', (folder) => run(folder, ['rebuild', join(folder, 'data')])],
];

/** Starts a node, asks it for its status, and stops it. */
function start(folder: string): Promise<Metered | string> {
  return run(folder, ['node', '--config', join(folder, 'node.json')], async (line, stop) => {
    const base = /http:\S+/.exec(line)?.[0];
    if (base === undefined) return;
    await (await fetch(`${base}/status`)).text();
    stop();
  });
}

async function exported(folder: string): Promise<Metered | string> {
  const out = join(folder, 'export');
  const cost = await run(folder, ['export', join(folder, 'data'), '-o', out]);
  await rm(out, { recursive: true, force: true });
  return cost;
}

/** What a command cost; where it failed, its last words. */
async function run(
  folder: string,
  args: readonly string[],
  onLine: (line: string, stop: () => void) => Promise<void> = () => Promise.resolve(),
): Promise<Metered | string> {
  const meter = join(folder, 'meter.json');
  await rm(meter, { force: true });
  const child = spawn(process.execPath, ['--import', METER, ASSAY, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ASSAY_BENCH_METER: meter, HOME: folder, ASSAY_LOG_LEVEL: 'error' },
  });
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    void onLine(text, () => child.kill('SIGTERM'));
  });
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (errors = `${errors}${text}`.slice(-500)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) return `failed (${code}): ${errors.trim()}`;
  return JSON.parse(await readFile(meter, 'utf8')) as Metered;
}

function formatCosts(lengths: readonly number[], rows: readonly Measured[]): string {
  const heads = [
    'what',
    ...lengths.map((each) => `${each.toLocaleString('en-US')} entries`),
    'goal',
  ];
  const lines = rows.map(({ what, costs }, i) => [
    what,
    ...costs.map((cost) =>
      typeof cost === 'string'
        ? cost
        : `${cost.processorSeconds.toFixed(1)} s, ${cost.mebibytes.toFixed(0)} MiB`,
    ),
    i === 0 ? GOALS.start : GOALS.memory,
  ]);
  const table = [heads, heads.map(() => '---'), ...lines];
  return (
    'Processor time of all threads and the most resident memory of a process of its own, by the length of a log\n' +
    `of notes.\n\n${table.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`
  );
}
