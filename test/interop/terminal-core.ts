import { createHash, type Hash } from 'node:crypto';
import { canonicalize } from '@assay/core/wire/canonical';
import type { TickInput } from '@assay/core/terminal/score/good';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { type BoardRow, Terminal, type TickDraft } from '@assay/core/terminal/terminal';
import { formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { MarketFolder } from '@assay/node/terminal/replay/market-folder';

/** A month of an asset's scores. */
interface Month {
  count: number;
  readonly hash: Hash;
}

/** What the Terminal makes of a folder of recorded markets, a line each, as the twin says it. */
export async function coreLines(folder: MarketFolder, rule: ScoreRule): Promise<readonly string[]> {
  const terminal = new Terminal({
    sha256: nodeSha256,
    seed: new Uint8Array(32),
    rule,
    grid: utcGrid,
  });
  const decimals = new Map(folder.files.map((file) => [file.symbol, file.priceDecimals]));
  const listed = new Set<string>();
  const months = new Map<string, Month>();
  const lines: string[] = [];
  for await (const { ts, readings } of folder.instants({ from: 0, to: Number.MAX_SAFE_INTEGER })) {
    const time = formatTime(ts);
    const reads = new Map<string, TickInput>();
    for (const [symbol, { price, volume24h: volume }] of readings) {
      if (!listed.has(symbol)) {
        listed.add(symbol);
        terminal.list(
          {
            symbol,
            name: symbol,
            class: rule.class,
            decimals: decimals.get(symbol) ?? 0,
            listed: true,
            display: true,
          },
          ts - 1,
        );
      }
      const volume24h = volume === null ? null : String(volume);
      const source = { provider: 'recorded', price, volume_24h: volume24h, stamped_at: time };
      reads.set(symbol, { price, volume24h, sources: [source] });
    }
    const { drafts, board } = terminal.step(ts, reads);
    for (const [symbol, row] of board) {
      count(months, `${symbol} ${formatTime(ts).slice(0, 7)}`, ts, row);
    }
    for (const draft of drafts) if (draft.kind !== 'tick/1') lines.push(lineOf(draft));
  }
  const scores = [...months].map(
    ([name, { count: n, hash }]) => `${name} ${n} ${hash.digest('hex')}`,
  );
  return [...scores.sort(), ...lines];
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
