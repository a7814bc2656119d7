import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metered } from './meter.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const CHILD = fileURLToPath(new URL('./million-child.js', import.meta.url));
const METER = new URL('./meter.js', import.meta.url).href;
const ASSAY = fileURLToPath(new URL('../../../cli/bin/assay.js', import.meta.url));
/** The exit code of `assay verify` for a log with findings. */
const EXIT_FINDINGS = 1;
const TIMEOUT_S = '7200';
const LENGTHS = [10_000, 100_000, 1_000_000];

/** What one process tells of a log of reports. */
export interface Polled {
  /** The rows that a poll of the scheduler reads. */
  readonly rows: number;
  /** Milliseconds of processor time of it. */
  readonly ms: number;
  /** MiB that are resident when the entries have been read again. */
  readonly resident: number;
  /** Processor seconds until the log could be read, and until its rows were proven. */
  readonly opened: number;
  readonly proven: number;
}

/** What a publisher of very many reports needs: memory, a start, and a poll. */
export async function millionSection(short: boolean): Promise<string> {
  const lengths = short ? LENGTHS.slice(0, 2) : LENGTHS;
  const columns: (readonly string[])[] = [];
  for (const reports of lengths) {
    const folder = await temporaryFolder('million');
    try {
      await run(folder, ['write', String(reports)]);
      const opened = await run(folder, ['open', String(reports)]);
      // Its reports have signatures and blobs of no use, so that the verdict has findings.
      const verified = await verifyFolder(folder, EXIT_FINDINGS);
      const over = [
        await command(folder, ['recover', join(folder, 'data')]),
        await command(folder, ['rebuild', join(folder, 'data')]),
        await command(folder, ['signer', 'init', join(folder, 'data'), join(folder, 'signer')]),
      ];
      const polled = JSON.parse(await readFile(join(folder, 'polled.json'), 'utf8')) as Polled;
      columns.push([
        `${polled.resident.toFixed(0)} MiB`,
        `${opened.mebibytes.toFixed(0)} MiB`,
        `${polled.opened.toFixed(1)} s`,
        `${polled.proven.toFixed(1)} s`,
        String(polled.rows),
        `${polled.ms.toFixed(2)} ms`,
        await filesPer(folder, reports),
        `${verified.processorSeconds.toFixed(0)} s`,
        `${verified.mebibytes.toFixed(0)} MiB`,
        ...over.map(
          ({ processorSeconds, mebibytes }) =>
            `${processorSeconds.toFixed(0)} s, ${mebibytes.toFixed(0)} MiB`,
        ),
      ]);
    } finally {
      await removeFolder(folder);
    }
  }
  const names = [
    ['resident when all rows are proven', 'below 500 MiB at 1,000,000'],
    ['the most that was resident', ''],
    ['processor time of a start, until the log can be read', '2 s at 1,000,000'],
    ['the same, until its rows are proven', ''],
    ['rows that a poll of 100 indexes reads', 'the same at each length'],
    ['processor time of a poll', 'the same at each length'],
    ['files of the data folder an entry, with 1.5 blobs for each', 'below 0.2'],
    ['`assay verify` of its data folder: processor time of all threads', ''],
    ['the most that was resident', 'does not grow'],
    ['`assay recover` of it: processor time, and the most that was resident', 'does not grow'],
    ['`assay rebuild`', 'does not grow'],
    ['`assay signer init`', 'does not grow'],
  ];
  const heads = [
    'what',
    ...lengths.map((each) => `${each.toLocaleString('en-US')} reports`),
    'goal',
  ];
  const lines = names.map(([what, goal], i) => [
    what,
    ...columns.map((column) => column[i] ?? ''),
    goal,
  ]);
  const table = [heads, heads.map(() => '---'), ...lines];
  const rows = table.map((line) => `| ${line.join(' | ')} |`).join('\n');
  return `## A million reports\n\n${rows}\n\n${await notesSection(lengths)}`;
}

/** What `assay verify` of the data folder of logs of notes of 1 KB takes. */
async function notesSection(lengths: readonly number[]): Promise<string> {
  const lines: string[] = [];
  for (const notes of lengths) {
    const folder = await temporaryFolder('million');
    try {
      await run(folder, ['notes', String(notes)]);
      const start = performance.now();
      const { processorSeconds, mebibytes } = await verifyFolder(folder, 0);
      const seconds = (performance.now() - start) / 1000;
      const length = notes.toLocaleString('en-US');
      lines.push(
        `| ${length} | ${seconds.toFixed(1)} s | ${processorSeconds.toFixed(1)} s | ${mebibytes.toFixed(0)} MiB |`,
      );
    } finally {
      await removeFolder(folder);
    }
  }
  return `## A million entries verified

\`assay verify\` of the data folder of a log of notes of 1 KB. The goal at 1,000,000 is 30 s, and memory that does not grow.

| notes | time | processor time | the most that was resident |
| --- | --- | --- | --- |
${lines.join('\n')}
`;
}

async function filesPer(folder: string, reports: number): Promise<string> {
  const files = await readdir(folder, { recursive: true });
  return (files.length / reports).toFixed(4);
}

async function run(folder: string, args: readonly string[]): Promise<Metered> {
  await writeFile(join(folder, 'polled.json'), '{}');
  return metered(folder, [CHILD, folder, ...args]);
}

function verifyFolder(folder: string, code: number): Promise<Metered> {
  const pins = join(folder, 'pins.json');
  const args = ['verify', join(folder, 'data'), '--pins', pins, '--timeout', TIMEOUT_S];
  return command(folder, args, code);
}

function command(folder: string, args: readonly string[], code?: number): Promise<Metered> {
  return metered(folder, [ASSAY, ...args], code);
}

/** Runs a program of Node to its end, and tells what it cost. Throws for another exit code. */
async function metered(folder: string, args: readonly string[], expected = 0): Promise<Metered> {
  const meter = join(folder, 'meter.json');
  await rm(meter, { force: true });
  const child = spawn(process.execPath, ['--import', METER, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ASSAY_BENCH_METER: meter },
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== expected) throw new Error(`million ${args.join(' ')}: exit code ${code}`);
  return JSON.parse(await readFile(meter, 'utf8')) as Metered;
}
