// The study of a recorded year in a process of its own, so that its memory is its own: `node study-child.js MARKET`. The year is played by the
// engine of a replay, and the study is made beside it. It tells what that took as one line of JSON.
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { EdgeStudyMaker } from '@assay/core/terminal/edge/edge-study-maker';
import { REPLAY_RULES } from '@assay/core/terminal/rule/score-rules';
import { Terminal } from '@assay/core/terminal/terminal';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { MarketFolder } from '@assay/node/terminal/replay/market-folder';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import { recordedReads } from '@assay/node/terminal/replay/recorded-reads';
import { replaySeed } from '@assay/node/terminal/replay/replay-keys';

export interface StudyFigures {
  /** Milliseconds of the study alone, and of what played the year as well. */
  readonly study: number;
  readonly all: number;
  /** Bytes of resident memory at most, of all of it. */
  readonly memory: number;
  /** Bytes of the blob, and the moments in it. */
  readonly blob: number;
  readonly moments: number;
}

const folder = await MarketFolder.open(process.argv[2] ?? '', CRYPTO_FORMAT);
const rule = REPLAY_RULES.crypto;
const seed = replaySeed(nodeSha256, 'salts');
const terminal = new Terminal({ sha256: nodeSha256, seed, rule, grid: utcGrid });
const maker = new EdgeStudyMaker(nodeSha256, rule);
for (const asset of folder.assets(rule.class).values()) terminal.list(asset, 0);
let study = 0;
for await (const instant of folder.instants({ from: 0, to: Number.POSITIVE_INFINITY })) {
  const step = terminal.step(instant.ts, recordedReads(instant));
  const started = performance.now();
  maker.step(instant.ts, utcGrid.indexOf(instant.ts) as number, step);
  study += performance.now() - started;
}
const started = performance.now();
const { blob } = maker.make(0, 1);
study += performance.now() - started;
const { user, system } = process.cpuUsage();
const figures: StudyFigures = {
  study,
  all: (user + system) / 1000,
  memory: 1024 * process.resourceUsage().maxRSS,
  blob: blob.length,
  moments: parseEdgeStudy(blob).moments.length,
};
process.stdout.write(JSON.stringify(figures));
