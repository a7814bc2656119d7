import { entryBody, scanEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import type { Tick } from '@assay/core/kind/tick';
import { pacedSteps } from '@assay/core/steps';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import type { MadeStudy } from '@assay/core/terminal/study/study-maker';
import { parseTime } from '@assay/core/time/time';
import type { BlobStore } from '../../blob/blob-store.ts';
import { bearsOnTicks } from '../tick/tick-kinds.ts';
import type { TickOpenings } from '../tick/tick-openings.ts';
import { FirstLiveMaker, type LiveMaker, SecondLiveMaker } from './live-makers.ts';
import { LiveTicks } from './live-ticks.ts';

export interface LiveStudyParts {
  readonly sha256: Sha256;
  /** A rule of the class. */
  readonly rule: ScoreRule;
  readonly grid: TickGrid;
  /** The version of the study: that of the rule of the class's newest tick in the range. */
  readonly version: 1 | 2;
  /** The log's entries from the first up to, but not including, number `to`. */
  readonly entries: AsyncIterable<Uint8Array>;
  readonly to: number;
  /**
   * The time of the tick that begins the month of the study, in unix seconds; undefined for a study of no month
   * that is named.
   */
  readonly monthFrom: number | undefined;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly openings: Pick<TickOpenings, 'since'>;
  /** Called after each small piece of work, so that other work can run. What it throws ends the study. */
  readonly pause: () => Promise<void>;
}

/**
 * Makes the study of a log's first `to` entries, with the prices that it depends on from what opens its ticks.
 * The same entries give the same bytes whenever it is made, and whether or not old openings are thinned. It
 * holds a day of openings and a month of moments in memory. The version of the rule that a tick names decides
 * what is good at it. Throws `not_found` for an opening that is needed and missing, `replay_differs` for one
 * that does not belong to its leaf and for a tick of another rule than the newest before it, `blob_missing`, and
 * what openings and blobs throw.
 */
export async function makeLiveStudy(parts: LiveStudyParts): Promise<MadeStudy> {
  const ticks = new LiveTicks(parts);
  try {
    return await new LiveStudy(parts, ticks).make();
  } finally {
    await ticks.close();
  }
}

class LiveStudy {
  readonly #parts: LiveStudyParts;
  readonly #ticks: LiveTicks;
  readonly #maker: LiveMaker;
  /** The rule that the log's next tick of the class names. */
  #named: { readonly rule: ScoreRule; readonly hash: HashHex } | undefined;

  constructor(parts: LiveStudyParts, ticks: LiveTicks) {
    const { sha256, rule, version } = parts;
    this.#parts = parts;
    this.#ticks = ticks;
    this.#maker = new (version === 1 ? FirstLiveMaker : SecondLiveMaker)(sha256, rule);
  }

  async make(): Promise<MadeStudy> {
    const { sha256, entries, to, monthFrom, pause } = this.#parts;
    const parse = bodyParser(sha256);
    for await (const bytes of entries) {
      await pause();
      const layout = scanEntry(bytes);
      if (!bearsOnTicks(layout.kind)) continue;
      const known = parse(layout.kind, entryBody(bytes, layout));
      if (known === undefined) continue;
      if (known.kind === 'score-rule/1') this.#name(known.body.rule);
      else if (known.kind === 'tick/1') await this.#tick(known.body);
      else await this.#maker.take(known);
      if (known.kind === 'asset/1') this.#ticks.list(known.body);
    }
    return pacedSteps(this.#maker.steps(to, monthFrom), pause);
  }

  #name(rule: ScoreRule): void {
    const { sha256, rule: own } = this.#parts;
    if (rule.class === own.class) this.#named = { rule, hash: scoreRuleHash(sha256, rule) };
  }

  async #tick(body: Tick): Promise<void> {
    const { rule: own, grid } = this.#parts;
    if (body.class !== own.class) return;
    const named = this.#named;
    if (named?.hash !== body.rule) {
      throw new Fault('replay_differs', 'ticks of the log', {
        at: body.ts,
        expected: `a tick of rule ${named?.hash ?? 'none'}`,
        found: `of ${body.rule}`,
      });
    }
    const { rule } = named;
    const ts = parseTime(body.ts);
    await this.#maker.tick({
      ts,
      index: grid.indexOf(ts) as number,
      rule,
      leaves: () => this.#ticks.leaves(body),
      priced: () => this.#ticks.priced(body, rule),
    });
  }
}
