import type { Metrics } from '@assay/node/metrics';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { PaymentTally } from '@assay/node/payment/record/payment-tally';
import { filledLedger, memoryPlace } from '../node/ledger/ledger-fixture.ts';

/** Has `metrics` watch all that a node has, each once, and count one of each, with made-up figures. */
export async function watchEverything(metrics: Metrics): Promise<void> {
  const ledger = await filledLedger(await memoryPlace(), 3);
  metrics.watchLedger(ledger);
  metrics.watchArena(ledger);
  metrics.watchStatus(() => [{ level: 'degraded', reason: 'Made up.' }]);
  metrics.watchLateness(() => 0);
  metrics.watchDisk(() => ({ bytes: 1e10, files: 1e6 }));
  metrics.watchStorage(new DamageLog(() => 0), () => undefined);
  metrics.watchStamps(() => ({ pending: 1, attestedHeight: 900_000, headerAge: 60 }));
  metrics.watchCosigning(() => 0);
  metrics.watchFeeds(() => ({
    waiting: 0,
    waiting_since: null,
    waitingS: 0,
    slot: 1,
    balance: 10n ** 9n,
    spentToday: 0n,
    differences: 0,
  }));
  metrics.watchEvents({ clients: 1 });
  metrics.watchReaders(
    () => [
      {
        number: 1,
        pid: 1,
        listens: true,
        restarts: 0,
        figures: { size: 3, silentS: 0, requests: 1, failures: 0, bytes: 1e8 },
      },
    ],
    ledger,
  );
  metrics.watchFollowers(ledger, { followers: [{ name: 'standby', size: 3, ageS: 1 }] });
  metrics.watchObjects(() => ({
    size: 3,
    behind: 0,
    behindS: 0,
    written: 1,
    errors: new Map(),
    stopped: false,
  }));
  metrics.watchWebhooks({ all: () => [] }, () => 0);
  metrics.watchPayments(new PaymentTally());
  metrics.round('LAYOFFS', 'final');
  metrics.cosignerSaid('Example Recounts', 'agree');
  metrics.calendarFailed('https://calendar.example');
  metrics.dayEndFailed('Close');
  metrics.posted('print');
  metrics.paid('print', 'fee', 5000n);
  await metrics.commitTimes.commit(async () => undefined);
  metrics.request({
    requestId: 'made-up',
    method: 'GET',
    pattern: '/status',
    status: 200,
    seconds: 0.001,
  });
}
