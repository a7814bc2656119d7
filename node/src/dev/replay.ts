import type { CosignerSet } from '@assay/core/report/cosigner-set';
import type { Sha256 } from '@assay/core/hash/hash';
import { releaseTime } from '@assay/core/rule/release';
import type { Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS } from '@assay/core/time/time';
import type { Anchoring } from '../anchor/anchoring.ts';
import type { DayEnd } from '../day/day-end.ts';
import type { Feeds } from '../feed/feeds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { enactCosigners } from '../cosign/enact-cosigners.ts';
import { enactRule } from '../rule/rule-file.ts';
import type { Scheduler } from '../round/scheduler.ts';
import type { DevelopmentClock } from './development-clock.ts';
import type { DevelopmentIndex } from './development-indices.ts';

export interface DemoReplay {
  readonly indices: readonly DevelopmentIndex[];
  readonly clock: DevelopmentClock;
  readonly anchoring: Pick<Anchoring, 'poll'>;
  /** Who co-signs, and from when on; without it nobody does. */
  readonly cosigned?: {
    readonly set: () => Promise<CosignerSet>;
    /** Unix seconds. */
    readonly from: number;
    /** Resolves when everybody has made all statements. */
    readonly said: () => Promise<void>;
    /** Begins to let everybody read what is there, so that there is less to wait for later. */
    readonly ahead: () => void;
  };
  readonly sha256: Sha256;
  /** Posts what is co-signed. */
  readonly feeds?: Pick<Feeds, 'poll'> | undefined;
  /** The Close and the index entry of each day; without it there are none. */
  readonly dayEnd?: Pick<DayEnd, 'run'>;
  /** The ticks of the market; without it there are none. */
  readonly market?: MarketReplay | undefined;
  /** Goes into the log as a note. */
  readonly notice: string;
  /** Called with how many of the replay's times have been gone through. */
  readonly onStep?: (done: number, of: number) => void;
}

/** The part of a market in a replay. */
export interface MarketReplay {
  /** When it has ticks, in unix seconds, ascending. */
  readonly times: readonly number[];
  /** Appends the market's rule and assets, unless the log has them. */
  readonly list: () => Promise<void>;
  /** Makes the tick that is due by the clock. */
  readonly tick: () => Promise<void>;
}

/** A time at which rounds are carried out together. */
export interface ReplayStep {
  /** Unix seconds. */
  readonly at: number;
  readonly rounds: readonly { readonly ticker: Ticker; readonly period: number }[];
}

/** When a round of the replay may be carried out, in unix seconds, both included. */
interface Window {
  readonly ticker: Ticker;
  readonly period: number;
  readonly from: number;
  readonly to: number;
}

/** The times that the replay goes through, ascending: as few as the rules' windows allow on each day. */
export function replaySteps(indices: readonly DevelopmentIndex[]): readonly ReplayStep[] {
  const windows = indices
    .flatMap(({ rules, prints }) =>
      rules.flatMap((rule, i) => (prints[i] ?? []).flatMap((period) => windowsOf(rule, period))),
    )
    // The newest period of an index comes first, as in the scheduler.
    .sort((a, b) => a.from - b.from || b.period - a.period);
  const steps: { at: number; until: number; day: number; rounds: Window[] }[] = [];
  for (const window of windows) {
    const { from, to } = window;
    const day = Math.floor(from / DAY_SECONDS);
    const last = steps.at(-1);
    if (last !== undefined && last.day === day && from <= last.until) {
      last.at = from;
      last.until = Math.min(last.until, to);
      last.rounds.push(window);
    } else {
      steps.push({ at: from, until: to, day, rounds: [window] });
    }
  }
  return steps.map(({ at, rounds }) => ({
    at,
    rounds: rounds.map(({ ticker, period }) => ({ ticker, period })),
  }));
}

/** When the log of a replay begins, in unix seconds: as soon as the first rules are recorded. */
export function replayStart(indices: readonly DevelopmentIndex[]): number {
  return Math.min(...indices.map(({ recorded }) => recorded));
}

/** A first print inside its freeze window, if there is one, and the final after it. */
function windowsOf({ ticker, release, revision, period: kind }: Rule, period: number): Window[] {
  const from = releaseTime(release, kind, period);
  const to = from + release.first_print_within_s;
  const frozen = from + revision.freeze_after_s;
  if (frozen === from) return [{ ticker, period, from, to }];
  return [
    { ticker, period, from, to: frozen - 1 },
    { ticker, period, from: frozen, to },
  ];
}

/** How many entries there are at least between two times at which others read them. */
const AHEAD_ENTRIES = 500;
/** Seconds between two stamps as long as nobody co-signs, when nobody waits for them. */
const STAMPED_S = 7 * DAY_SECONDS;
/** How many seconds after its time a tick is written. */
const TICK_WRITTEN_S = 30;

/**
 * Goes through the history of the development network on its clock, as a node would have: rules when they are recorded,
 * rounds at their releases, ticks at theirs. Repeating it adds nothing, and after an interruption it continues.
 */
export async function replaySample(
  ledger: Ledger,
  scheduler: Scheduler,
  replay: DemoReplay,
): Promise<void> {
  const { indices, clock, market, notice } = replay;
  const isNew = ledger.nextSeq <= 1;
  if (isNew) await ledger.write(() => [{ kind: 'note/1', body: { text: notice } }]);
  await market?.list();
  const player = new Player(ledger, scheduler, replay);
  const times = timesOf(indices, market);
  for (let i = 0; i < times.length;) {
    // What nobody else has to see before it goes on is written together.
    let end = i + 1;
    if (isQuiet(times[i])) while (isQuiet(times[end])) end += 1;
    const play = async (): Promise<void> => {
      for (; i < end; i += 1) {
        const time = times[i] as ReplayTime;
        replay.onStep?.(i, times.length);
        if (time.at < clock.now()) continue;
        clock.advanceTo(time.at);
        await player.play(time);
      }
    };
    if (isQuiet(times[i])) await ledger.gather(play);
    else await play();
  }
  await player.end();
}

/** Whether nobody but the publisher takes part in what is done at a time. */
function isQuiet(time: ReplayTime | undefined): boolean {
  return time?.kind === 'tick' || time?.kind === 'day';
}

/** What a replay does at a time. */
type ReplayTime = { readonly at: number } & (
  | { readonly kind: 'day' | 'tick' }
  | { readonly kind: 'rules'; readonly rules: readonly Rule[] }
  | { readonly kind: 'rounds'; readonly rounds: ReplayStep['rounds'] }
);

/** Everything that a replay does, by its time: the end of a day comes before anything else of the next. */
function timesOf(
  indices: readonly DevelopmentIndex[],
  market: MarketReplay | undefined,
): readonly ReplayTime[] {
  const steps = replaySteps(indices);
  const [first, last] = [replayStart(indices), steps.at(-1)?.at ?? 0].map((at) =>
    Math.floor(at / DAY_SECONDS),
  ) as [number, number];
  const times: ReplayTime[] = [];
  // A market has ticks until its clock begins to run. Otherwise the last day ends as well, and has its Close.
  const end = market === undefined ? last + 1 : last;
  for (let day = first + 1; day <= end; day += 1)
    times.push({ kind: 'day', at: day * DAY_SECONDS });
  for (const { recorded: at, rules } of indices) times.push({ kind: 'rules', at, rules });
  for (const step of steps) times.push({ kind: 'rounds', ...step });
  for (const ts of market?.times ?? []) times.push({ kind: 'tick', at: ts + TICK_WRITTEN_S });
  return times.sort((a, b) => a.at - b.at);
}

/** Does what a replay has to do, on a clock that stands at its time. */
class Player {
  readonly #ledger: Ledger;
  readonly #scheduler: Scheduler;
  readonly #replay: DemoReplay;
  /** How many entries whoever co-signs has been shown. */
  #read = 0;
  /** When something was stamped last, in unix seconds. */
  #stamped = 0;

  constructor(ledger: Ledger, scheduler: Scheduler, replay: DemoReplay) {
    this.#ledger = ledger;
    this.#scheduler = scheduler;
    this.#replay = replay;
  }

  async play(time: ReplayTime): Promise<void> {
    const { dayEnd, market } = this.#replay;
    switch (time.kind) {
      case 'day':
        return dayEnd?.run();
      case 'tick':
        return market?.tick();
      case 'rules':
        return this.#record(time.rules);
      case 'rounds':
        return this.#rounds(time.rounds);
    }
  }

  async #record(rules: readonly Rule[]): Promise<void> {
    const { clock, cosigned, feeds, sha256 } = this.#replay;
    for (const rule of rules) await enactRule(this.#ledger, sha256, rule);
    if (cosigned === undefined || clock.now() < cosigned.from) return;
    await this.#enact();
    // A rule has to be on chain a week before it begins.
    await feeds?.poll();
  }

  async #rounds(rounds: ReplayStep['rounds']): Promise<void> {
    const { anchoring, clock, cosigned, feeds } = this.#replay;
    const isCosigned = cosigned !== undefined && clock.now() >= cosigned.from;
    await this.#enact();
    await this.#ledger.gather(() => this.#scheduler.run(rounds));
    if (isCosigned) {
      // What is read on the next day is too late for a first print.
      await cosigned.said();
      await feeds?.poll();
    } else this.#ahead();
    if (!isCosigned && clock.now() - this.#stamped < STAMPED_S) return;
    // A stamp right after the rounds, and the newest block before the next ones.
    this.#stamped = clock.now();
    await anchoring.poll();
  }

  /** Once in a while: each time costs whoever reads as much as the entries of some days do. */
  #ahead(): void {
    const size = this.#ledger.published?.size ?? 0;
    if (size - this.#read < AHEAD_ENTRIES) return;
    this.#read = size;
    this.#replay.cosigned?.ahead();
  }

  /** After an interruption the co-signers may not have made their statements. */
  async end(): Promise<void> {
    await this.#enact();
    await this.#replay.cosigned?.said();
  }

  async #enact(): Promise<void> {
    const { cosigned, clock, sha256 } = this.#replay;
    if (cosigned === undefined || clock.now() < cosigned.from) return;
    await enactCosigners(this.#ledger, sha256, await cosigned.set());
  }
}
