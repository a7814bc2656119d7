// A replay in a process of its own, so that its memory is its own: `node --expose-gc replay-child.js MARKET DATA FROM TO`, times in unix
// seconds. It tells what it did as one line of JSON.
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { replayMarket } from '@assay/node/terminal/replay/replay-market';

export interface ReplayFigures {
  readonly seconds: number;
  /** Of the processor, over all threads. */
  readonly processorSeconds: number;
  readonly entries: number;
  readonly leaves: number;
  /** Bytes of resident memory when a quarter, half and all of the time was replayed. */
  readonly memory: readonly number[];
  /** Bytes in use then, right after garbage was collected: objects, and buffers outside the heap. */
  readonly live: readonly number[];
}

const [market = '', data = '', from = '0', to = '0'] = process.argv.slice(2);
const QUARTERS = [0.25, 0.5, 1];
const started = performance.now();
const memory: number[] = [];
const live: number[] = [];
let leaves = 0;
const { entries } = await replayMarket(nodeSha256, {
  market,
  span: { from: Number(from), to: Number(to) },
  data: dataFolder(data),
  onStep({ at, rows }, of) {
    leaves += rows;
    const part = (at - of.from) / (of.to - of.from);
    const next = QUARTERS[memory.length];
    if (next === undefined || part < next) return;
    memory.push(process.memoryUsage.rss());
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    live.push(heapUsed + external);
  },
});
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
const processorSeconds = (user + system) / 1e6;
const figures: ReplayFigures = { seconds, processorSeconds, entries, leaves, memory, live };
process.stdout.write(JSON.stringify(figures));
