import type { CosignerSet } from '@assay/core/report/cosigner-set';
import type { Sha256 } from '@assay/core/hash/hash';
import { releaseTime } from '@assay/core/rule/release';
import type { Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS } from '@assay/core/time/time';
import type { Anchoring } from '../anchor/anchoring.ts';
import type { Feeds } from '../feed/feeds.ts';
import type { IndexRound } from '../day/completeness-round.ts';
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
  };
  readonly sha256: Sha256;
  /** Posts what is co-signed. */
  readonly feeds?: Pick<Feeds, 'poll'> | undefined;
  /** The index entry of each day, and from when on every day has rounds; without it there are none. */
  readonly indexed?: {
    /** Unix seconds. */
    readonly from: number;
    readonly indexing: Pick<IndexRound, 'run'>;
  };
  /** Goes into the log as a note. */
  readonly notice: string;
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

/**
 * Goes through the release days of the samples on the development clock, as a node would have: what nobody
 * could have seen then remains history or missing. Repeating it adds nothing, and after an interruption it
 * continues.
 */
export async function replaySample(
  ledger: Ledger,
  scheduler: Scheduler,
  { indices, clock, anchoring, cosigned, feeds, indexed, sha256, notice }: DemoReplay,
): Promise<void> {
  const enact = async (): Promise<void> => {
    if (cosigned === undefined || clock.now() < cosigned.from) return;
    await enactCosigners(ledger, sha256, await cosigned.set());
  };
  let first = true;
  for (const rule of indices.flatMap(({ rules }) => rules)) {
    const enacted = await enactRule(ledger, sha256, rule);
    if (enacted && first) {
      await ledger.write(() => [{ kind: 'note/1', body: { text: notice } }]);
    }
    first = false;
  }
  for (const { at, rounds } of replaySteps(indices)) {
    if (at < clock.now()) continue;
    clock.advanceTo(at);
    if (indexed !== undefined && at >= indexed.from) await indexed.indexing.run();
    // The newest block comes before the rounds, and a stamp right after them.
    await anchoring.poll();
    await enact();
    await scheduler.run(rounds);
    // What is read on the next day is too late for a first print.
    if (cosigned !== undefined && at >= cosigned.from) await cosigned.said();
    await feeds?.poll();
    await anchoring.poll();
  }
  await enact();
  // After an interruption the co-signers may not have made their statements.
  await cosigned?.said();
}
