import assert from 'node:assert/strict';
import { createHash, type Hash } from 'node:crypto';
import { canonicalize } from '@assay/core/wire/canonical';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import {
  type BoardRow,
  Terminal,
  type TickDraft,
  type TickStep,
} from '@assay/core/terminal/terminal';
import { formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { MarketFolder } from '@assay/node/terminal/replay/market-folder';
import { recordedReads } from '@assay/node/terminal/replay/recorded-reads';
import { replayGenesis } from '@assay/node/terminal/replay/replay-place';
import { type ReplayStep, replaySteps } from '@assay/node/terminal/replay/replay-steps';

/** A month of an asset's scores. */
interface Month {
  count: number;
  readonly hash: Hash;
}

interface Played {
  readonly ts: number;
  readonly step: TickStep;
}

/** The steps of a Terminal over a folder of recorded markets, each with its time. */
async function* played(folder: MarketFolder, rule: ScoreRule): AsyncGenerator<Played> {
  const terminal = new Terminal({
    sha256: nodeSha256,
    seed: new Uint8Array(32),
    rule,
    grid: utcGrid,
  });
  const assets = folder.assets(rule.class);
  const known = new Set<string>();
  for await (const instant of folder.instants({ from: 0, to: Number.MAX_SAFE_INTEGER })) {
    const { ts, readings } = instant;
    for (const symbol of readings.keys()) {
      if (known.has(symbol)) continue;
      known.add(symbol);
      terminal.list(assets.get(symbol) ?? assert.fail(symbol), ts - 1);
    }
    yield { ts, step: terminal.step(ts, recordedReads(instant)) };
  }
}

/** What the Terminal makes of a folder of recorded markets, a line each, as the twin says it. */
export async function coreLines(folder: MarketFolder, rule: ScoreRule): Promise<readonly string[]> {
  const months = new Map<string, Month>();
  const lines: string[] = [];
  for await (const { ts, step } of played(folder, rule)) {
    for (const [symbol, row] of step.board) {
      if (!row.good) continue;
      count(months, `${symbol} ${formatTime(ts).slice(0, 7)}`, ts, row);
    }
    for (const draft of step.drafts) if (draft.kind !== 'tick/1') lines.push(lineOf(draft));
  }
  const scores = [...months].map(
    ([name, { count: n, hash }]) => `${name} ${n} ${hash.digest('hex')}`,
  );
  return [...scores.sort(), ...lines];
}

/** The blob of the `study/2` with which a replay of the folder alone ends. */
export async function replayedStudy(folder: MarketFolder, rule: ScoreRule): Promise<string> {
  const markets = [{ folder, rule, grid: utcGrid }];
  const span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  let last: ReplayStep | undefined;
  const steps = replaySteps(nodeSha256, markets, replayGenesis(nodeSha256), span);
  for await (const step of steps) last = step;
  assert.deepEqual(
    last?.drafts.map(({ kind }) => kind),
    ['study/2'],
  );
  return Buffer.from(last?.blobs[0] ?? assert.fail()).toString();
}

function count(months: Map<string, Month>, name: string, ts: number, row: BoardRow): void {
  const month = months.get(name) ?? { count: 0, hash: createHash('sha256') };
  const { score, move, volMult, zLong, zShort } = row;
  const values = [ts, score, move, volMult, zLong, zShort].map((each) => each ?? '-');
  month.hash.update(`${values.join(',')}\n`);
  month.count += 1;
  months.set(name, month);
}

/** A draft without what the twin does not make: commitments, class and rule. Times are unix seconds. */
function lineOf({ kind, body }: TickDraft): string {
  switch (kind) {
    case 'event/1': {
      const { id, symbol, opened_at, score, move_24h, vol_mult, breadth } = body;
      const own = { id, symbol, opened_at: seconds(opened_at), score, move_24h, vol_mult, breadth };
      return `open ${canonicalize(own)}`;
    }
    case 'event-close/1':
      return `close ${canonicalize({ ...body, closed_at: seconds(body.closed_at) })}`;
    case 'receipt/1': {
      const { id, horizon, status, resolved_at, ret, reason } = body;
      const own = { id, horizon, status, resolved_at: seconds(resolved_at), ret, reason };
      return `receipt ${canonicalize(own)}`;
    }
    case 'benchmark/1': {
      const { id, horizon, symbol, from, to, ret, reason } = body;
      const own = { id, horizon, symbol, from: seconds(from), to: seconds(to), ret, reason };
      return `benchmark ${canonicalize(own)}`;
    }
    default:
      throw new TypeError(`the Terminal wrote a ${kind}`);
  }
}

function seconds(time: TimeText | null): number | null {
  return time === null ? null : parseTime(time);
}
