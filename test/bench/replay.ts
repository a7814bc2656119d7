import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { ReplayFigures } from './replay-child.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const CHILD = fileURLToPath(new URL('./replay-child.js', import.meta.url));
const ASSAY = fileURLToPath(new URL('../../../cli/bin/assay.js', import.meta.url));
const MARKET =
  process.env['ASSAY_SHARED'] ?? fileURLToPath(new URL('../../../../shared', import.meta.url));

/** Seconds for the year. */
const GOAL_S = 60;
/** Bytes of what is hashed for a leaf: salt, commitment of values as they are in the year, leaf, node. */
const HASHED = [76, 32 + 256, 73, 65];

/** A recorded year of 80 assets into a finished ledger; in the short form four weeks of it. */
export async function replaySection(short: boolean): Promise<string> {
  const heading = '## A year of the Terminal\n';
  const market = join(MARKET, 'data/market');
  if (!existsSync(market)) return `${heading}\nSkipped: the recorded market is not here.\n`;
  const folder = await temporaryFolder('replay');
  try {
    const data = join(folder, 'data');
    const to = parseTime(short ? '2024-11-20T00:00:00Z' : '2026-01-01T00:00:00Z');
    const run = (args: readonly string[]): SpawnSyncReturns<string> =>
      spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
    const ran = run(['--expose-gc', CHILD, market, data, '0', `${to}`]);
    if (ran.status !== 0) throw new Error(`replay: ${ran.stderr}`);
    const figures = JSON.parse(ran.stdout) as ReplayFigures;
    const started = performance.now();
    const verified = run([ASSAY, 'verify', data, '--json']);
    const verifySeconds = (performance.now() - started) / 1000;
    const hashes = (figures.leaves * nanosecondsOfLeaf()) / 1e9;
    return `${heading}\n${formatFigures(figures, hashes, { seconds: verifySeconds, code: verified.status }, short)}`;
  } finally {
    await removeFolder(folder);
  }
}

/** What the hashes of one leaf cost. */
function nanosecondsOfLeaf(): number {
  const inputs = HASHED.map((length) => new Uint8Array(length));
  const leaves = 100_000;
  let started = 0;
  for (let i = -leaves / 10; i < leaves; i += 1) {
    if (i === 0) started = performance.now();
    for (const input of inputs) {
      input[0] = i;
      nodeSha256(input);
    }
  }
  return ((performance.now() - started) * 1e6) / leaves;
}

function formatFigures(
  { seconds, processorSeconds, entries, leaves, memory, live }: ReplayFigures,
  hashes: number,
  verified: { readonly seconds: number; readonly code: number | null },
  short: boolean,
): string {
  const mib = (sizes: readonly number[]): string =>
    `${sizes.map((bytes) => (bytes / 2 ** 20).toFixed(0)).join(', ')} MiB`;
  const goal = short ? '' : `${GOAL_S} s: ${seconds <= GOAL_S ? 'reached' : 'missed'}`;
  const count = (value: number): string => value.toLocaleString('en-US');
  const rows = [
    ['`assay replay`, files to a finished ledger', `${seconds.toFixed(1)} s`, goal],
    ['processor time of that, all threads', `${processorSeconds.toFixed(1)} s`, ''],
    ['its leaves and entries', `${count(leaves)} and ${count(entries)}`, ''],
    ['their salts, commitments, leaves and nodes hashed alone', `${hashes.toFixed(1)} s`, ''],
    ['resident memory after a quarter, half and all of the time', mib(memory), 'flat'],
    ['of it in use, after garbage was collected', mib(live), ''],
    [`\`assay verify\` of it, exit code ${verified.code}`, `${verified.seconds.toFixed(1)} s`, ''],
  ];
  const lines = [['what', 'result', 'goal'], ['---', '---', '---'], ...rows];
  return `${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
}
