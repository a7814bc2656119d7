import { processClock } from '../platform/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LogMirror } from '../mirror/log-mirror.ts';
import type { RecounterParts } from './recounter-parts.ts';
import { blobStage } from '../scrub/blob-stage.ts';
import type { DamageLog } from '../scrub/damage-log.ts';
import { logStages } from '../scrub/log-stages.ts';
import { readStage } from './read-stage.ts';
import { restFor, Scrub } from '../scrub/scrub.ts';

export interface ScrubbedCopies {
  readonly publisher: Pick<LogMirror, 'stored' | 'blob'>;
  /** Other recounters' logs, by address. */
  readonly peers: ReadonlyMap<string, Pick<LogMirror, 'stored'>>;
}

/**
 * The scrub of everything that a recounter has stored, including its copies of others' logs; undefined if there
 * is nothing to scrub.
 */
export function recounterScrub(
  parts: Pick<RecounterParts, 'scrub' | 'data' | 'now' | 'log'>,
  ledger: Pick<Ledger, 'stored'>,
  { publisher, peers }: ScrubbedCopies,
  damage: DamageLog,
): Scrub | undefined {
  const { scrub, data, now, log } = parts;
  if (scrub === undefined) return undefined;
  const stages = [
    ...logStages({ log: ledger.stored, damage, copyOf: null }),
    blobStage({ name: 'blobs', blobs: data.blobs, part: 'blob', damage, copyOf: null }),
    readStage({ reads: data.reads, blobs: data.blobs, damage }),
    blobStage({ name: 'evidence', blobs: data.evidence, part: 'evidence', damage, copyOf: null }),
    ...logStages({ log: publisher.stored, damage, copyOf: 'publisher' }),
    blobStage({
      name: 'blobs of publisher',
      blobs: data.kept,
      part: 'blob',
      damage,
      copyOf: 'publisher',
      fetch: (hash) => publisher.blob(hash),
    }),
    ...[...peers].flatMap(([url, { stored }]) => logStages({ log: stored, damage, copyOf: url })),
  ];
  return new Scrub(
    { ...scrub, stages, damage, now, elapsed: processClock, sleep: restFor },
    {
      onRound: (seconds) => log.info({ seconds: Math.round(seconds) }, 'scrubbed'),
      onFailed: (stage, reason) => log.warn({ stage, reason }, 'the scrub failed'),
    },
  );
}
