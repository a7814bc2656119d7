import type { HashHex } from '@assay/core/hash';
import { contentHash, hashHex } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import type { Asset } from '@assay/core/kind/asset';
import type { Genesis } from '@assay/core/kind/genesis';
import type { TickInput } from '@assay/core/terminal/good';
import { utcGrid } from '@assay/core/terminal/grid';
import type { ScoreRule } from '@assay/core/terminal/score-rule';
import { StudyMaker } from '@assay/core/terminal/study-maker';
import { Terminal, type TickDraft } from '@assay/core/terminal/terminal';
import { formatTime, parseTime } from '@assay/core/time';
import { parseTickLeaves } from '@assay/core/terminal/tick-leaf';
import type { WireObject } from '@assay/core/wire';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/node-sha256';
import { shortRule } from '../core/terminal/score-rule-fixture.ts';
import type { Forge, Forgeable, Loose } from './forge.ts';
import { chain, type Draft } from './published.ts';
import { signerFrom } from './sample-log.ts';

const ORIGIN = 'development/ticked';
const QUARTER = 900;
const START = parseTime('2026-03-01T00:00:00Z');
const TICKS = 230;
const SEED = new Uint8Array(32).fill(9);
const BASE = shortRule();

/** Ticks at which an asset jumps with nine times its volume. */
const JUMPS: ReadonlySet<string> = new Set(['ADA 80', 'ETH 80', 'ETH 100', 'ADA 130']);
/** ETH is split in two before this tick, and ADA is not listed any more before that one. */
const SPLIT_AT = 120;
const DELISTED_AT = 150;

export const TICKED_RULE: ScoreRule = shortRule({
  sources: { ...BASE.sources, required: 1 },
  receipts: { void_after_s: 86_400, benchmark: 'BTC', benchmark_tolerance_s: QUARTER },
});

function asset(symbol: string, change: Partial<Asset> = {}): Asset {
  const about = { name: symbol, class: 'crypto', listed: true, display: true } as const;
  return { symbol, decimals: 2, ...about, ...change };
}

/** What was read of an asset at a tick. */
export function readingOf(symbol: string, tick: number): TickInput {
  const jump = JUMPS.has(`${symbol} ${tick}`);
  const cents = 10_000 + symbol.charCodeAt(0) + 10 * (tick % 5) + (jump ? 4000 : 0);
  const divided = symbol === 'ETH' && tick >= SPLIT_AT ? cents / 2 : cents;
  const price = (divided / 100).toFixed(3);
  const volume24h = jump ? '9000' : '1000';
  const stamped_at = formatTime(START + tick * QUARTER);
  const source = { provider: 'recorded', price, volume_24h: volume24h, stamped_at };
  return { price, volume24h, sources: [source] };
}

/** A later version of the rule: other scores, and an asset is armed again so late that ETH's second event is none. */
export const LATER_RULE: ScoreRule = shortRule({
  ...TICKED_RULE,
  version: 2,
  returns: { ...BASE.returns, window: 30 },
  parts: { ...BASE.parts, volume: { weight: 40, from: 150, to: 500 } },
  event: { ...BASE.event, rearm: 40 },
});
/** Its first tick: the first two events are open. */
const HANDED_AT = 82;

/**
 * A log of the Terminal alone, as its engine makes it: three assets over 230 quarter hours, with a split, an asset that is
 * not listed any more while its receipts are open, and a study. Where `stays`, it goes on being listed. With a later rule it
 * hands over to that.
 */
export function tickedLog(stays = false, later?: ScoreRule): Forgeable {
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
  const drafts: Draft[] = [];
  const keep = (bytes: Uint8Array): HashHex => {
    const hash = hashHex(contentHash(nodeSha256, bytes));
    blobs.set(hash, bytes);
    return hash;
  };
  const maker = new StudyMaker(nodeSha256, TICKED_RULE);
  const append = (tick: number, draft: TickDraft): void => {
    const { kind, body } = draft;
    const at = formatTime(START + tick * QUARTER + 60);
    drafts.push({ at, kind, body: body as unknown as WireObject });
    if (kind === 'asset/1' || kind === 'split/1') maker.take(draft);
  };
  const make = (rule: ScoreRule): Terminal =>
    new Terminal({ sha256: nodeSha256, seed: SEED, rule, grid: utcGrid });
  let terminal = make(TICKED_RULE);
  const past: (readonly [ts: number, reads: ReadonlyMap<string, TickInput>, blob: Uint8Array])[] =
    [];
  append(-1, { kind: 'genesis/1', body: genesis });
  append(-1, { kind: 'score-rule/1', body: { rule: TICKED_RULE } });
  const listed = new Set(['ADA', 'BTC', 'ETH']);
  for (const symbol of listed) {
    append(-1, { kind: 'asset/1', body: asset(symbol) });
    terminal.list(asset(symbol), START);
  }
  for (let tick = 0; tick < TICKS; tick += 1) {
    const ts = START + tick * QUARTER;
    if (tick === SPLIT_AT) {
      const split = {
        symbol: 'ETH',
        effective_at: formatTime(ts - 60),
        numerator: 2,
        denominator: 1,
      };
      terminal.split(split);
      append(tick - 1, { kind: 'split/1', body: split });
    }
    if (tick === DELISTED_AT && !stays) {
      terminal.delist('ADA', ts - QUARTER);
      listed.delete('ADA');
      append(tick - 1, { kind: 'asset/1', body: asset('ADA', { listed: false }) });
    }
    if (later !== undefined && tick === HANDED_AT) {
      append(tick - 1, { kind: 'score-rule/1', body: { rule: later } });
      terminal = make(later);
      maker.under(later);
      for (const symbol of listed) terminal.list(asset(symbol), START);
      for (const [then, reads, blob] of past) {
        const leaves = new Map(parseTickLeaves(blob).map((leaf) => [leaf.symbol, leaf]));
        terminal.recall(then, leaves, reads, TICKED_RULE);
      }
    }
    const reads = new Map([...listed].map((symbol) => [symbol, readingOf(symbol, tick)]));
    const step = terminal.step(ts, reads);
    keep(step.blob);
    past.push([ts, reads, step.blob]);
    maker.step(ts, utcGrid.indexOf(ts) as number, step);
    for (const draft of step.drafts) append(tick, draft);
  }
  const { body: study, blob } = maker.make(0, drafts.length);
  keep(blob);
  append(TICKS - 1, { kind: 'study/1', body: study });
  return { entries: chain(drafts), blobs, checkpoints, keys };
}

/** The newest draft of a kind that `wanted` picks, and where it stands. */
export function newestOf(
  forge: Forge,
  of: string,
  wanted: (body: Loose) => boolean = () => true,
): ReturnType<Forge['newest']> {
  return forge.newest(({ kind, body }) => kind === of && wanted(body));
}
