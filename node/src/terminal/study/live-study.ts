import { entryBody, scanEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import type { Tick } from '@assay/core/kind/tick';
import { pacedSteps } from '@assay/core/steps';
import { judgeTick } from '@assay/core/terminal/score/good';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { isSampled } from '@assay/core/terminal/study/ordinary-sample';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { type MadeStudy, StudyMaker } from '@assay/core/terminal/study/study-maker';
import { parseTickLeaves, type TickLeaf } from '@assay/core/terminal/tick/tick-leaf';
import type { TickOpening } from '@assay/core/terminal/tick/tick-writer';
import { formatTime, parseTime } from '@assay/core/time/time';
import type { BlobStore } from '../../blob/blob-store.ts';
import { openedInput } from '../tick/opened-input.ts';
import type { TickOfDay, TickOpenings } from '../tick/tick-openings.ts';
import { bearsOnTicks } from '../tick/tick-kinds.ts';

export interface LiveStudyParts {
  readonly sha256: Sha256;
  readonly rule: ScoreRule;
  readonly grid: TickGrid;
  /** The log's entries from the first up to, but not including, number `to`. */
  readonly entries: AsyncIterable<Uint8Array>;
  readonly to: number;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly openings: Pick<TickOpenings, 'since'>;
  /** Called after each small piece of work, so that other work can run. What it throws ends the study. */
  readonly pause: () => Promise<void>;
}

/**
 * Makes the study of a log's first `to` entries, with the prices that ordinary moments depend on from what
 * opens its ticks. The same entries give the same bytes whenever it is made, and whether or not old openings
 * are thinned. It holds a day of openings and a month of moments in memory. The version of the rule that a tick
 * names decides what is good at it. Throws `not_found` for an opening that is needed and missing,
 * `replay_differs` for one that does not belong to its leaf and for a tick of another rule than the newest
 * before it, `blob_missing`, and what openings and blobs throw.
 */
export async function makeLiveStudy(parts: LiveStudyParts): Promise<MadeStudy> {
  const study = new LiveStudy(parts);
  try {
    return await study.make();
  } finally {
    await study.close();
  }
}

class LiveStudy {
  readonly #parts: LiveStudyParts;
  readonly #maker: StudyMaker;
  /** The rule that the log's next tick of the class names. */
  #named: { readonly rule: ScoreRule; readonly hash: HashHex } | undefined;
  /** The decimals of an asset's price, from its first entry, which never change. */
  readonly #decimals = new Map<string, number>();
  #days: AsyncGenerator<TickOfDay> | undefined;
  /** The first tick of `#days` that was not skipped. */
  #next: TickOfDay | undefined;

  constructor(parts: LiveStudyParts) {
    const { sha256, rule } = parts;
    this.#parts = parts;
    this.#maker = new StudyMaker(sha256, rule);
  }

  async make(): Promise<MadeStudy> {
    const { sha256, entries, to, pause } = this.#parts;
    const parse = bodyParser(sha256);
    for await (const bytes of entries) {
      await pause();
      const layout = scanEntry(bytes);
      if (!bearsOnTicks(layout.kind)) continue;
      const known = parse(layout.kind, entryBody(bytes, layout));
      if (known === undefined) continue;
      if (known.kind === 'score-rule/1') this.#name(known.body.rule);
      else if (known.kind === 'tick/1') await this.#tick(known.body);
      else this.#maker.take(known);
      if (known.kind !== 'asset/1') continue;
      const { symbol, decimals } = known.body;
      if (!this.#decimals.has(symbol)) this.#decimals.set(symbol, decimals);
    }
    return pacedSteps(this.#maker.steps(0, to), pause);
  }

  async close(): Promise<void> {
    await this.#days?.return(undefined);
  }

  #name(rule: ScoreRule): void {
    const { sha256, rule: own } = this.#parts;
    if (rule.class === own.class) this.#named = { rule, hash: scoreRuleHash(sha256, rule) };
  }

  async #tick(body: Tick): Promise<void> {
    const { rule, grid } = this.#parts;
    if (body.class !== rule.class) return;
    const named = this.#named;
    if (named?.hash !== body.rule) {
      throw new Fault('replay_differs', 'ticks of the log', {
        at: body.ts,
        expected: `a tick of rule ${named?.hash ?? 'none'}`,
        found: `of ${body.rule}`,
      });
    }
    this.#maker.under(named.rule);
    const ts = parseTime(body.ts);
    if (!isSampled(ts)) return;
    const leaves = await this.#leaves(body);
    const readings = await this.#openingsOf(ts);
    let opened: ReadonlyMap<string, TickOpening> | undefined;
    this.#maker.tick({
      ts,
      index: grid.indexOf(ts) as number,
      good: leaves,
      scored: () =>
        [...leaves.values()].flatMap(({ symbol, score }) => (score === null ? [] : symbol)),
      price: (symbol) => {
        opened ??= new Map(readings?.openings.map((each) => [each.symbol, each]));
        const [opening, leaf] = [opened.get(symbol), leaves.get(symbol)];
        return this.#price(ts, symbol, opening, leaf, named.rule);
      },
    });
  }

  /** The good leaves of a tick. */
  async #leaves({ ts, blob }: Tick): Promise<ReadonlyMap<string, TickLeaf>> {
    const { blobs, sha256 } = this.#parts;
    const bytes = await blobs.get(blob);
    if (bytes === undefined || hashHex(contentHash(sha256, bytes)) !== blob) {
      const code = bytes === undefined ? 'blob_missing' : 'blob_differs';
      throw new Fault(code, 'tick leaves', { at: ts, expected: blob });
    }
    const good = parseTickLeaves(bytes).filter((leaf) => leaf.good);
    return new Map(good.map((leaf) => [leaf.symbol, leaf]));
  }

  #price(
    ts: number,
    symbol: string,
    opening: TickOpening | undefined,
    leaf: TickLeaf | undefined,
    rule: ScoreRule,
  ): number {
    const { sha256 } = this.#parts;
    const at = `${symbol} of ${formatTime(ts)}`;
    if (opening === undefined) {
      throw new Fault('not_found', 'tick openings', {
        at,
        expected: 'what opens it, from a back-up',
      });
    }
    const input = openedInput(sha256, ts, opening, leaf?.commitment);
    const decimals = this.#decimals.get(symbol);
    const reading =
      decimals === undefined ? undefined : judgeTick(rule.sources, ts, decimals, input);
    if (reading !== undefined) return reading.price;
    throw new Fault('replay_differs', 'tick openings', { at, expected: 'a good reading' });
  }

  /** What is stored of the readings at `ts`. Times come in rising order. */
  async #openingsOf(ts: number): Promise<TickOfDay | undefined> {
    this.#days ??= this.#parts.openings.since(ts);
    while (this.#next === undefined || this.#next.ts < ts) {
      const { done, value } = await this.#days.next();
      if (done === true) return undefined;
      this.#next = value;
    }
    return this.#next.ts === ts ? this.#next : undefined;
  }
}
