import { faultCode } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import type { BlobStore } from '../blob/blob-store.ts';
import type { ReadSet, ReadStore } from './read-store.ts';
import { pagesOf } from '../blob/named-blobs.ts';
import type { DamageLog } from '../scrub/damage-log.ts';
import type { ScrubStage, ScrubStep } from '../scrub/scrub-stage.ts';

export interface ReadStageParts {
  readonly reads: Pick<ReadStore, 'list' | 'of'>;
  readonly blobs: Pick<BlobStore, 'has' | 'get'>;
  readonly damage: DamageLog;
}

/**
 * The scrub of what a recounter read itself of periods that are not settled: the files, and whether the bytes
 * that they name are there.
 */
export function readStage(parts: ReadStageParts): ScrubStage {
  return { name: 'reads', steps: (place) => readSteps(parts, place) };
}

async function* readSteps(parts: ReadStageParts, place: string): AsyncGenerator<ScrubStep> {
  const { reads, damage } = parts;
  const names = (await reads.list()).map(([ticker, period]) => ({
    ticker,
    period,
    name: `${ticker}/${period}`,
  }));
  names.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const [i, { ticker, period, name }] of names.entries()) {
    if (name <= place) continue;
    let sets: readonly ReadSet[] = [];
    try {
      sets = await reads.of(ticker, period);
      damage.whole('read', name);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      damage.note('read', name);
    }
    for (const snapshot of new Set(sets.flatMap((set) => set.reads.map((read) => read.snapshot)))) {
      if (snapshot !== null) await checkNamed(parts, snapshot);
    }
    yield { place: name, share: (i + 1) / names.length, bytes: 0 };
  }
}

async function checkNamed({ blobs, damage }: ReadStageParts, snapshot: HashHex): Promise<void> {
  const isThere = async (hash: HashHex): Promise<boolean> => {
    const found = await blobs.has(hash);
    if (found) damage.present('blob', hash);
    else damage.note('blob', hash, 'missing');
    return found;
  };
  if (!(await isThere(snapshot))) return;
  const manifest = await blobs.get(snapshot).catch((error: unknown) => {
    if (faultCode(error) === 'blob_differs') return undefined;
    throw error;
  });
  for (const { hash } of manifest === undefined ? [] : pagesOf(manifest)) await isThere(hash);
}
