import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Service } from '../health/services.ts';
import type { ReportSigner } from '../key/report-signer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { DataFolder } from '../platform/data-folder.ts';
import { openAllSealed } from '../timelock/opening-thread.ts';
import type { ArenaBook } from './arena-answer.ts';
import { ArenaLoop, type ArenaLoopParts } from './arena-loop.ts';
import { ForecastIntake } from './forecast-intake.ts';
import { ForecastRows } from './forecast-rows.ts';
import { FreezeNotes } from './freeze-notes.ts';
import { HandleStore } from './handle-store.ts';

/** How a node takes forecasts and runs their rounds. */
export interface NodeArena {
  readonly handles: HandleStore;
  readonly rows: ForecastRows;
  readonly notes: FreezeNotes;
  readonly beaconOf: ArenaLoopParts['beaconOf'];
  /** Milliseconds between two polls. */
  readonly everyMs: number;
  /** Forecasts per minute of one address. */
  readonly perMinute?: number;
  /** Called after each poll. */
  readonly onPolled?: () => void;
}

/** Opens what a data folder has of the Arena. Throws `ledger_corrupt`. */
export async function openArena(
  folder: Pick<DataFolder, 'handles' | 'forecasts' | 'freezes'>,
  sha256: Sha256,
  { sync = true }: { readonly sync?: boolean } = {},
): Promise<Pick<NodeArena, 'handles' | 'rows' | 'notes'>> {
  return {
    handles: await HandleStore.open(folder.handles, { sha256, sync }),
    rows: new ForecastRows(folder.forecasts, { sync }),
    notes: new FreezeNotes(folder.freezes, { sync }),
  };
}

/** What a node that takes forecasts stands on. */
export interface ArenaParts {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  /** Signs receipts. */
  readonly signer: ReportSigner;
  readonly sha256: Sha256;
  readonly log: Logger;
  /** Called for each entry of a round that the loop writes. */
  readonly onStep?: (step: string) => void;
}

/** The Arena of a node that runs. */
export interface RunningArena extends Service, ArenaBook {
  readonly intake: ForecastIntake;
  readonly handles: HandleStore;
}

const processSeconds: Clock = () => performance.now() / 1000;

/** The intake of forecasts and the loop of their rounds, whose events are logged. Names, values and addresses are not. */
export function nodeArena(
  { handles, rows, notes, beaconOf, everyMs, perMinute, onPolled }: NodeArena,
  { ledger, blobs, signer, sha256, log, onStep }: ArenaParts,
): RunningArena {
  const intake = new ForecastIntake({
    ledger,
    handles,
    rows,
    signer,
    sha256,
    elapsed: processSeconds,
    ...(perMinute === undefined ? {} : { perMinute }),
    onError: (error) => log.error({ reason: messageOf(error) }, 'a forecast could not be taken'),
  });
  const loop = new ArenaLoop({
    ledger,
    blobs,
    rows,
    notes,
    intake,
    beaconOf,
    openAll: openAllSealed,
    sha256,
    everyMs,
    events: {
      onStep: (step, round) => {
        log.info({ round, step }, 'round of the arena');
        onStep?.(step);
      },
      onError: (what, reason) => log.error({ what, reason }, 'the arena cannot go on'),
    },
    ...(onPolled === undefined ? {} : { onPolled }),
  });
  return {
    intake,
    handles,
    nameOf: (handle) => handles.get(handle)?.name,
    numberOf: ({ body }) => loop.numberOf(body.id),
    start: () => loop.start(),
    stop: async () => {
      await Promise.all([intake.close(), loop.stop()]);
      await handles.close();
      await rows.close();
    },
    concerns: () => [...loop.concerns(), ...intake.concerns()],
  };
}
