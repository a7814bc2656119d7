import { contentHash, type HashHex, hashHex } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import type { Asset } from '@assay/core/kind/asset';
import type { Genesis } from '@assay/core/kind/genesis';
import type { TickInput } from '@assay/core/terminal/good';
import { utcGrid } from '@assay/core/terminal/grid';
import type { ScoreRule } from '@assay/core/terminal/score-rule';
import { StudyMaker } from '@assay/core/terminal/study-maker';
import { Terminal } from '@assay/core/terminal/terminal';
import { formatTime, parseTime } from '@assay/core/time';
import type { WireObject } from '@assay/core/wire';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/node-sha256';
import { shortRule } from '../core/terminal/score-rule-fixture.ts';
import type { Forgeable } from './forge.ts';
import { chain, type Draft } from './published.ts';
import { signerFrom } from './sample-log.ts';

const ORIGIN = 'development/monthly';
const HOUR = 3600;
const START = parseTime('2026-03-02T00:00:00Z');
/** Hours up to June 3. The first of May is the 60th day, that of June the 91st. */
const HOURS = 93 * 24 + 5;
const BASE = shortRule();
const RULE: ScoreRule = shortRule({
  returns: { ...BASE.returns, short: 4, sample: 4 },
  sources: { ...BASE.sources, required: 1 },
  receipts: { void_after_s: 86_400, benchmark: 'BTC', benchmark_tolerance_s: HOUR },
});
const SYMBOLS = ['ADA', 'BTC', 'ETH'];
/** The months' first ticks of which studies are, and hours later at which they are written. */
const STUDIES: ReadonlyMap<string, number> = new Map([
  ['2026-05-01T00:00:00Z', 3],
  ['2026-06-01T00:00:00Z', 40],
]);

/** A live log by the hour, with the studies that two of its months owe. */
export function monthlyLog(): Forgeable {
  const keys = {
    report: signerFrom(`${ORIGIN} report`),
    checkpoint: signerFrom(`${ORIGIN} check`),
  };
  const checkpoints = checkpointSigner(nodeSha256, ORIGIN, keys.checkpoint);
  const commitment = hashHex(contentHash(nodeSha256, new Uint8Array(1)));
  const genesis: Genesis = {
    origin: ORIGIN,
    network: 'development',
    report_key: formatHex(keys.report.publicKey),
    checkpoint_vkey: checkpoints.vkey,
    next_report_key_sha256: commitment,
    recovery_key_sha256: commitment,
    chain: null,
    program: null,
    policies: { cosigners_required: 0, witnesses_required: 0, witness_max_age_s: 0 },
  };
  const blobs = new Map<HashHex, Uint8Array>();
  const keep = (bytes: Uint8Array): void => {
    blobs.set(hashHex(contentHash(nodeSha256, bytes)), bytes);
  };
  const drafts: Draft[] = [];
  const append = (ts: number, kind: string, body: unknown): void => {
    drafts.push({ at: formatTime(ts + 60), kind, body: body as WireObject });
  };
  const terminal = new Terminal({
    sha256: nodeSha256,
    seed: new Uint8Array(32).fill(7),
    rule: RULE,
    grid: utcGrid,
  });
  append(START, 'genesis/1', genesis);
  append(START, 'score-rule/1', { rule: RULE });
  for (const symbol of SYMBOLS) {
    const about = { name: symbol, class: 'crypto', decimals: 2 } as const;
    const asset: Asset = { symbol, ...about, listed: true, display: true };
    append(START, 'asset/1', asset);
    terminal.list(asset, START);
  }
  // Each study has its own, which is told what stands before the study's last entry.
  const makers = new Map([...STUDIES].map(([ts]) => [ts, new StudyMaker(nodeSha256, RULE)]));
  const written = new Map<number, WireObject>();
  for (let hour = 0; hour < HOURS; hour += 1) {
    const ts = START + hour * HOUR;
    const due = makers.get(formatTime(ts));
    if (due !== undefined) {
      const { body, blob } = due.make(0, drafts.length);
      keep(blob);
      makers.delete(formatTime(ts));
      written.set(hour + (STUDIES.get(formatTime(ts)) ?? 0), body as unknown as WireObject);
    }
    const reads = new Map(
      SYMBOLS.flatMap((symbol) => {
        const read = readingOf(symbol, hour);
        return read === undefined ? [] : [[symbol, read] as const];
      }),
    );
    const step = terminal.step(ts, reads);
    keep(step.blob);
    for (const maker of makers.values()) maker.step(ts, utcGrid.indexOf(ts) as number, step);
    for (const { kind, body } of step.drafts) append(ts, kind, body);
    const study = written.get(hour);
    if (study !== undefined) append(ts, 'study/1', study);
  }
  return { entries: chain(drafts), blobs, checkpoints, keys };
}

/** Three assets that wander, one with gaps, and a jump each few days. */
function readingOf(symbol: string, hour: number): TickInput | undefined {
  if (symbol === 'ETH' && hour % 50 < 3) return undefined;
  const jump = symbol !== 'BTC' && hour % 211 === (symbol === 'ADA' ? 150 : 60);
  const cents = 10_000 + symbol.charCodeAt(0) + 10 * ((hour * 7) % 13) + (jump ? 4000 : 0);
  const [price, volume24h] = [(cents / 100).toFixed(2), jump ? '9000' : '1000'];
  const stamped_at = formatTime(START + hour * HOUR);
  const source = { provider: 'recorded', price, volume_24h: volume24h, stamped_at };
  return { price, volume24h, sources: [source] };
}
