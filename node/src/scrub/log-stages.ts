import { TILE_WIDTH } from '@assay/core/log/tile';
import { slices } from '../ledger/store/slices.ts';
import type { StoredLog } from '../ledger/store/stored-log.ts';
import type { DamageLog } from './damage-log.ts';
import type { ScrubStage, ScrubStep } from './scrub-stage.ts';

export interface LogStageParts {
  readonly log: Pick<StoredLog, 'size' | 'checkBundle' | 'checkRows'>;
  readonly damage: DamageLog;
  /** As `Damage.copy_of`. */
  readonly copyOf: string | null;
  /** Called with each undamaged entry, because what it names must be there too. */
  readonly onEntry?: (entry: Uint8Array) => Promise<void>;
}

/** The stages for the entries and the hash tiles of a log, and for its view rows. */
export function logStages(parts: LogStageParts): readonly ScrubStage[] {
  const of = parts.copyOf === null ? '' : ` of ${parts.copyOf}`;
  return [
    { name: `entries${of}`, steps: (place) => entrySteps(parts, place) },
    { name: `rows${of}`, steps: () => rowSteps(parts) },
  ];
}

/** `place` is the next bundle. */
async function* entrySteps(
  { log, damage, copyOf, onEntry }: LogStageParts,
  place: string,
): AsyncGenerator<ScrubStep> {
  const pause = slices(performance.now.bind(performance));
  for (let index = Number(place); index * TILE_WIDTH < log.size; index += 1) {
    const { entries, damaged, badTiles, bytes } = await log.checkBundle(index);
    const now = new Set(damaged.map(String));
    for (const name of now) damage.note('entry', name, 'damaged', copyOf);
    for (const name of badTiles) damage.note('tile', name, 'damaged', copyOf);
    for (const { part, name, copy_of: of } of damage.openList) {
      const isHere = part === 'entry' && Math.floor(Number(name) / TILE_WIDTH) === index;
      if (isHere && of === copyOf && !now.has(name)) damage.whole('entry', name, copyOf);
      if (part !== 'tile' || of !== copyOf || badTiles.includes(name)) continue;
      if (tilesEndingWith(index).includes(name)) damage.whole('tile', name, copyOf);
    }
    for (const each of onEntry === undefined ? [] : entries) {
      await onEntry?.(each);
      await pause();
    }
    const share = Math.min(1, ((index + 1) * TILE_WIDTH) / log.size);
    yield { place: `${index + 1}`, share, bytes };
  }
}

/** The tiles whose last entry is the last one of a bundle, by level and index. */
function tilesEndingWith(bundle: number): readonly string[] {
  const names: string[] = [];
  let count = bundle + 1;
  for (let level = 0; ; level += 1) {
    names.push(`${level}/${count - 1}`);
    if (count % TILE_WIDTH !== 0) return names;
    count /= TILE_WIDTH;
  }
}

/**
 * They are gone over from the beginning each time, because only all of them together can be compared with their
 * sum.
 */
async function* rowSteps({ log, damage, copyOf }: LogStageParts): AsyncGenerator<ScrubStep> {
  if (log.size === 0) return;
  let found = false;
  const passes = log.checkRows((name, isRepaired) => {
    found = true;
    if (!isRepaired) damage.note('row', name, 'damaged', copyOf);
  });
  for await (const { done, of, bytes } of passes) {
    yield { place: '', share: of === 0 ? 1 : Math.min(1, done / of), bytes };
  }
  if (found) return;
  for (const { part, name, copy_of: of } of damage.openList) {
    if (part === 'row' && of === copyOf) damage.whole('row', name, copyOf);
  }
}
