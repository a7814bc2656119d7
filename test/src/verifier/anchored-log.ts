import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import type { HashHex } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import { otsHashes } from '@assay/core/ots/hashes';
import { newestAnchor } from '@assay/core/view/anchors';
import { DEFAULT_TIMING, type AnchorParts } from '@assay/node/anchor/anchor-parts';
import { Anchoring } from '@assay/node/anchor/anchoring';
import { MemoryOpenBatch } from '@assay/node/anchor/open-batch';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import type { CalendarFetch } from '@assay/node/bitcoin/calendar-fetch';
import {
  developmentCalendar,
  developmentFetch,
} from '@assay/node/bitcoin/development/development-calendar';
import { DevelopmentChain } from '@assay/node/bitcoin/development/development-chain';
import { developmentSource } from '@assay/node/bitcoin/development/development-source';
import { HeaderFollower } from '@assay/node/bitcoin/header-follower';
import type { BlobStore } from '@assay/node/blob-store';
import type { EntryDraft, Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { HeaderLookup } from '@assay/verifier/header-lookup';
import { closesWorld, HIDDEN_RULE } from '../node/closes-world.ts';
import { CHECKPOINTS, ORIGIN, REPORT_SIGNER, testSigner } from '../node/ledger/ledger-fixture.ts';
import { CLAIMS_RULE } from '../node/round-fixture.ts';
import type { SampleLog } from './sample-log.ts';

/** A log whose records are stamped, and the chain that it is stamped on. */
export interface AnchoredLog extends SampleLog {
  readonly chain: DevelopmentChain;
}

export const PROMPT = 'http://prompt.calendar.invalid';
/** A calendar that promises and never keeps it. */
export const SILENT = 'http://silent.calendar.invalid';

const DAY_S = 86_400;
/** The block that holds the first batch, until a reorganisation takes it back. */
const TAKEN_BACK = 1156;

/** What stamps a ledger on a development chain of its own, by the ledger's clock. */
export interface Stamping {
  readonly chain: DevelopmentChain;
  readonly anchoring: Anchoring;
  readonly timing: { beaconEveryS: number };
  /** What went wrong, in words. */
  readonly trouble: readonly string[];
}

export function stamping(ledger: Ledger, blobs: BlobStore, now: () => number): Stamping {
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  const calendars = [PROMPT, SILENT].map((uri) =>
    developmentCalendar({ chain, name: uri.slice(7, 13), uri, now }),
  );
  const served = developmentFetch(calendars);
  const fetch: CalendarFetch = (request) =>
    request.method === 'GET' && request.url.startsWith(SILENT)
      ? Promise.resolve({ status: 404, body: new Uint8Array(0) })
      : served(request);
  const timing = { ...DEFAULT_TIMING, expireAfterS: 5 * DAY_S };
  const parts: AnchorParts = {
    ledger,
    blobs,
    openBatch: new MemoryOpenBatch(),
    calendars: new CalendarClient({
      fetch,
      pool: [PROMPT, SILENT],
      attestors: [PROMPT, SILENT],
      timeoutMs: 10_000,
      sha256: nodeSha256,
    }),
    headers: new HeaderFollower({ network: DEVELOPMENT, sources: [developmentSource(chain, now)] }),
    network: DEVELOPMENT,
    sha256: nodeSha256,
    hashes: otsHashes(nodeSha256),
    now,
    elapsed: now,
    random: (length) => nodeSha256(new Uint8Array([ledger.nextSeq])).slice(0, length),
    timing,
  };
  const trouble: string[] = [];
  const anchoring = new Anchoring(parts, 3_600_000, {
    onStamped: () => undefined,
    onUpgraded: () => undefined,
    onBeacon: () => undefined,
    onTrouble: (what, reason) => trouble.push(`${what}: ${reason}`),
    onCalendarFailed: () => undefined,
  });
  return { chain, anchoring, timing, trouble };
}

/**
 * Two weeks of a node that stamps: a batch that comes through, one whose block a reorganisation takes
 * back, a calendar that expires, and a last batch that is pending.
 */
async function makeAnchoredLog(): Promise<AnchoredLog> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-anchored-'));
  const world = await closesWorld(folder);
  const { ledger, blobs: blobStore, place } = world;
  const { now } = world.parts;
  const { chain, anchoring, timing, trouble } = stamping(ledger, blobStore, now);
  const look = async (...times: readonly string[]): Promise<void> => {
    for (const time of times) {
      world.at(time);
      await anchoring.look();
    }
  };
  try {
    await look('2026-07-02T00:00:00Z', '2026-07-09T12:00:00Z');
    await world.week(0);
    await look('2026-07-10T00:20:00Z');
    world.at('2026-07-10T03:00:00Z');
    // A beacon as it may be in Bitcoin: of a block that was lost, on top of one that was not.
    chain.advance(now());
    await ledger.append([beaconOf(chain, TAKEN_BACK)], ledger.nextSeq);
    timing.beaconEveryS = DAY_S;
    await anchoring.look();
    timing.beaconEveryS = DEFAULT_TIMING.beaconEveryS;
    const [held] = newestAnchor(ledger.tip)?.bitcoin ?? [];
    if (held === undefined) throw new TypeError(`no block yet: ${trouble.join('\n')}`);
    chain.reorganise(chain.tip.height - held.height + 1);
    await look('2026-07-10T06:00:00Z', '2026-07-10T12:00:00Z', '2026-07-11T00:00:00Z');
    await look('2026-07-16T12:20:00Z');
    await world.week(1);
    await look('2026-07-17T00:20:00Z', '2026-07-17T06:00:00Z');
    await world.week(2);
    await look('2026-07-24T00:20:00Z');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
    chain,
  };
}

/** A beacon of a block that the node of the log did not take for the newest. */
function beaconOf(chain: DevelopmentChain, height: number): EntryDraft {
  const header = formatHex(chain.block(height)?.header as Uint8Array);
  return { kind: 'beacon/1', body: { height, header } };
}

let shared: Promise<AnchoredLog> | undefined;

/** The log, made once in a process. Nobody writes to it. */
export function anchoredLog(): Promise<AnchoredLog> {
  return (shared ??= makeAnchoredLog());
}

/** The chain as somebody has it who checked its headers. */
export function lookupOf(
  { chain }: Pick<AnchoredLog, 'chain'>,
  change: Partial<HeaderLookup> = {},
): HeaderLookup {
  const { height, time } = chain.tip;
  return {
    kind: 'headers',
    network: 'development',
    first: 0,
    work: null,
    tip: { height, time },
    header: (at) => Promise.resolve(chain.block(at)?.header),
    description: 'headers checked from the genesis block',
    ...change,
  };
}
