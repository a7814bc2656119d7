import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HashHex } from '@assay/core/hash';
import type { Opening } from '@assay/node/openings';
import { closesWorld, type ClosesWorld, HIDDEN_RULE, WEEKS } from '../node/closes-world.ts';
import { CHECKPOINTS, ORIGIN, REPORT_SIGNER, testSigner } from '../node/ledger/ledger-fixture.ts';
import { CLAIMS_RULE } from '../node/round-fixture.ts';
import type { SampleLog } from './sample-log.ts';

/** A log with Closes, one of them replaced after a correction, beside an index whose level is withheld. */
export interface ClosedLog extends SampleLog {
  /** What opens each commitment: the publisher's own. */
  readonly openings: ReadonlyMap<HashHex, Opening>;
  readonly world: ClosesWorld;
}

async function makeClosedLog(): Promise<ClosedLog> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-closed-'));
  const openings = new Map<HashHex, Opening>();
  const world = await closesWorld(folder, {
    openings: {
      get: (commitment) => openings.get(commitment),
      put: (commitment, opening) => {
        openings.set(commitment, opening);
        return Promise.resolve();
      },
    },
  });
  try {
    // What the sources show from before the first print is history.
    world.shown.sample['2026-06-27'] = 220_000;
    for (const i of [0, 1]) await world.week(i);
    // A week whose mirror is late: provisional for want of a quorum, and final two hours later.
    const [period, release, claims, level] = WEEKS[2] as (typeof WEEKS)[number];
    world.shown.sample[period] = claims;
    world.shown.hidden[period] = level;
    world.silent.add('mirror.hidden.invalid');
    world.at(release);
    await world.round(CLAIMS_RULE, period);
    await world.round(HIDDEN_RULE, period);
    world.silent.clear();
    world.at(release.replace('12:30', '14:30'));
    await world.round(CLAIMS_RULE, period);
    await world.round(HIDDEN_RULE, period);
    world.at('2026-07-24T00:00:10Z');
    await world.close();
    await world.week(3);
    world.shown.sample['2026-07-25'] = 198_000;
    world.at('2026-07-31T09:00:00Z');
    await world.correct('2026-07-25');
    await world.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { ledger, place, blobs: blobStore } = world;
  const entries: Uint8Array[] = [];
  for await (const entry of place.store.entries(0, ledger.nextSeq)) {
    entries.push(new Uint8Array(entry));
  }
  const blobs = new Map<HashHex, Uint8Array>();
  for await (const each of blobStore.list()) {
    blobs.set(each, (await blobStore.get(each)) as Uint8Array);
  }
  return {
    origin: ORIGIN,
    keys: { report: REPORT_SIGNER, checkpoint: testSigner(2) },
    checkpoints: CHECKPOINTS,
    entries,
    blobs,
    rules: { sample: CLAIMS_RULE, synthetic: HIDDEN_RULE },
    ledger,
    store: place.store,
    guard: place.guard as never,
    blobStore,
    openings,
    world,
  };
}

let shared: Promise<ClosedLog> | undefined;

/** The log, made once in a process. Nobody writes to it. */
export function closedLog(): Promise<ClosedLog> {
  return (shared ??= makeClosedLog());
}
