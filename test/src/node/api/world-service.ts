import type { TestContext } from 'node:test';
import type { Logger } from 'pino';
import type { Webhooks } from '@assay/node/api/webhook/subscription-routes';
import { Publication } from '@assay/node/api/publication';
import type { EventHub } from '@assay/node/stream/event-hub';
import type { ServerOptions } from '@assay/node/http/transport';
import type { StatusInput } from '@assay/node/health/concern';
import { uwsBinary } from '@assay/node/http/uws';
import type { LogRecord } from '@assay/node/ledger/record';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { AnswerIntake } from '@assay/node/referee/answer-intake';
import type { Reception } from '@assay/node/cosign/reception';
import {
  type ArenaSettings,
  type NodePlaces,
  type RunningService,
  startService,
  type TerminalSettings,
} from '@assay/node/service';
import type { MirrorReader } from '@assay/node/day/settlement-mirror';
import { REPORT_SIGNER } from '../ledger/ledger-fixture.ts';
import type { ClosesWorld } from '../fixture/closes-world.ts';

export const TRANSPORTS = ['uws', 'node'] as const;

/** Why a transport has no test on this machine and this Node; false where it has one. */
export function noTransport(transport: (typeof TRANSPORTS)[number]): string | false {
  const here = process.platform === 'linux' && process.arch === 'x64' && uwsBinary() !== undefined;
  return transport === 'node' || here ? false : 'uWebSockets.js has no binary here';
}

/** Serves a world's record, or another, on a free port until the test ends; the address. */
export async function serveWorld(
  t: TestContext,
  world: Pick<ClosesWorld, 'ledger' | 'blobs' | 'closeParts'> &
    Partial<Pick<ClosesWorld, 'mirror'>>,
  transport: (typeof TRANSPORTS)[number],
  change: {
    readonly record?: LogRecord;
    readonly settlements?: MirrorReader;
    readonly places?: NodePlaces;
    readonly reception?: Reception;
    readonly answers?: AnswerIntake;
    readonly terminal?: TerminalSettings;
    readonly arena?: ArenaSettings;
    readonly webhooks?: Webhooks;
    readonly events?: EventHub;
    readonly server?: ServerOptions;
    readonly inputs?: readonly StatusInput[];
    /** Where lines are logged; nowhere without. */
    readonly log?: Logger;
  } = {},
): Promise<{ readonly base: string; readonly publication: Publication }> {
  const record = change.record ?? world.ledger;
  const publication = new Publication(record, nodeSha256);
  const service: RunningService = await startService({
    record,
    publication,
    blobs: world.blobs,
    settlements: change.settlements ?? world.mirror?.read ?? (() => Promise.resolve(undefined)),
    ...(change.reception === undefined ? {} : { reception: change.reception }),
    ...(change.answers === undefined ? {} : { answers: change.answers }),
    ...(change.terminal === undefined ? {} : { terminal: change.terminal }),
    arena: change.arena,
    webhooks: change.webhooks,
    events: change.events,
    reportKey: REPORT_SIGNER.publicKey,
    places: change.places ?? { publicUrl: null, mirrorUrl: null },
    sha256: nodeSha256,
    now: world.closeParts.now,
    inputs: change.inputs ?? [],
    notice: null,
    metrics: undefined,
    log: change.log ?? makeLogger('silent'),
    address: {
      host: '127.0.0.1',
      port: 0,
      transport,
      server: change.server ?? {},
      quotas: { default: 100_000, log: 100_000 },
    },
  });
  t.after(() => service.close());
  return { base: `http://127.0.0.1:${service.port}`, publication };
}
