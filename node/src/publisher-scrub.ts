import { processClock } from './platform/clock.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { NodeParts } from './node.ts';
import { blobStage } from './scrub/blob-stage.ts';
import type { DamageLog } from './scrub/damage-log.ts';
import { logStages } from './scrub/log-stages.ts';
import { namedCheck } from './scrub/named-check.ts';
import { openingStage } from './scrub/opening-stage.ts';
import { restFor, Scrub } from './scrub/scrub.ts';
import { settlementStage } from './scrub/settlement-stage.ts';
import { tickOpeningStage } from './scrub/tick-opening-stage.ts';

/** The scrub of everything that a publisher has stored; undefined if there is nothing to scrub. */
export function publisherScrub(
  parts: Pick<
    NodeParts,
    'scrub' | 'blobs' | 'openings' | 'settlements' | 'sha256' | 'now' | 'log' | 'ticks'
  >,
  ledger: Pick<Ledger, 'stored' | 'shown'>,
  damage: DamageLog,
): Scrub | undefined {
  const { scrub, blobs, openings, settlements, sha256, now, log, ticks } = parts;
  if (scrub === undefined) return undefined;
  const views = (): Ledger['shown'] => ledger.shown;
  const onEntry = namedCheck({ blobs, openings, sha256, damage });
  const stages = [
    ...logStages({ log: ledger.stored, damage, copyOf: null, onEntry }),
    blobStage({ name: 'blobs', blobs, part: 'blob', damage, copyOf: null }),
    openingStage({ openings, damage }),
    ...(ticks?.classes ?? []).map(({ rule, openings: readings }) =>
      tickOpeningStage({ of: rule.class, openings: readings, views, blobs, sha256, damage }),
    ),
    settlementStage({ views, files: settlements.read, sha256, damage }),
  ];
  return new Scrub(
    { ...scrub, stages, damage, now, elapsed: processClock, sleep: restFor },
    {
      onRound: (seconds) => log.info({ seconds: Math.round(seconds) }, 'scrubbed'),
      onFailed: (stage, reason) => log.warn({ stage, reason }, 'the scrub failed'),
    },
  );
}
