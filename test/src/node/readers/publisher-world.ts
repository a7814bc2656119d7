import type { TestContext } from 'node:test';
import { Publication } from '@assay/node/api/publication';
import type { StatusInput } from '@assay/node/health/concern';
import type { Quotas } from '@assay/node/http/limiter';
import type { LedgerOptions } from '@assay/node/ledger/ledger-options';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type RunningService, startService } from '@assay/node/service';
import { EntryFrames } from '@assay/node/stream/entry-frames';
import { EventHub } from '@assay/node/stream/event-hub';
import { type ClosesWorld, closesWorld } from '../fixture/closes-world.ts';
import { CHECKPOINTS, REPORT_SIGNER } from '../ledger/ledger-fixture.ts';

export const TOKEN = 'a-token-of-the-tests-of-readers-0123456789';
export const QUOTAS: Quotas = { default: 100_000, log: 100_000 };

/** A publisher of two indexes that can be followed. */
export interface PublisherWorld {
  readonly world: ClosesWorld;
  readonly service: RunningService;
  readonly hub: EventHub;
  /** Where the public asks, and where readers do. */
  readonly base: string;
  readonly inside: string;
}

/** Starts it with the first two of its weeks published; it is closed when the test ends. */
export async function publisherWorld(
  t: TestContext,
  folder: string,
  change: {
    readonly port?: number;
    readonly quotas?: Quotas;
    readonly inputs?: readonly StatusInput[];
    readonly checkpoints?: Pick<LedgerOptions, 'signer' | 'closing'>;
  } = {},
): Promise<PublisherWorld> {
  let publication: Publication | undefined;
  let hub: EventHub | undefined;
  const { checkpoints } = change;
  const world = await closesWorld(folder, {
    ...(checkpoints === undefined ? {} : { checkpoints }),
    onPublish({ size }, tables) {
      publication?.changed(size, tables);
      hub?.published(size, tables);
    },
  });
  await world.week(0);
  await world.week(1);
  publication = new Publication(world.ledger, nodeSha256);
  hub = new EventHub(new EntryFrames(world.ledger, nodeSha256));
  const service = await startService({
    record: world.ledger,
    publication,
    blobs: world.blobs,
    settlements: world.mirror.read,
    reportKey: REPORT_SIGNER.publicKey,
    places: { publicUrl: 'https://assay.example', mirrorUrl: null },
    sha256: nodeSha256,
    now: world.closeParts.now,
    inputs: change.inputs ?? [],
    notice: 'A notice of the publisher.',
    events: hub,
    readers: {
      host: '127.0.0.1',
      port: change.port ?? 0,
      token: TOKEN,
      vkey: (checkpoints?.signer ?? CHECKPOINTS).vkey,
      entries: (start, end) => world.ledger.entries(start, end),
      isAlone: false,
    },
    metrics: undefined,
    log: makeLogger('silent'),
    address: {
      host: '127.0.0.1',
      port: 0,
      transport: 'auto',
      server: {},
      quotas: change.quotas ?? QUOTAS,
    },
  });
  t.after(async () => {
    hub?.stop();
    await service.close();
  });
  return {
    world,
    service,
    hub,
    base: `http://127.0.0.1:${service.port}`,
    inside: `http://127.0.0.1:${service.readersPort}`,
  };
}
