import { join } from 'node:path';
import { dueRounds } from '@assay/core/arena/round-draft';
import { ruleHash } from '@assay/core/rule/rule';
import { parseTime } from '@assay/core/time/time';
import { isBodyFault, parseForecastBody } from '@assay/node/arena/forecast-body';
import { ForecastIntake } from '@assay/node/arena/forecast-intake';
import { ForecastRows } from '@assay/node/arena/forecast-rows';
import { HandleStore } from '@assay/node/arena/handle-store';
import { FileHeadGuard } from '@assay/node/ledger/guard/file-head-guard';
import type { Ledger } from '@assay/node/ledger/ledger';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { arenaRule, DAILY } from '../src/core/arena/arena-log.ts';
import { sampleReport } from '../src/core/fixture/fixture.ts';
import { SIGNATURE } from '../src/core/view/small-log.ts';
import { inTurn, rawLevel, randomValues } from './append.ts';
import { benchLedger, throwAwaySigner } from './bench-ledger.ts';
import {
  contest,
  type Contestant,
  type ContestOptions,
  rateFor,
  rateOf,
  ratioOf,
} from './contest.ts';
import type { Row } from './row.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const OURS = 'forecasts';
const RAW = 'level, an array';
/** Forecasts that are under way at the same time. */
const AT_ONCE = 2000;
const ROUND = 'layoffs-2026-08-03';

/** Who takes plain forecasts with durable private rows, entries and signed receipts, beside a bare append of as many entries. */
export async function forecastRows(options: ContestOptions): Promise<readonly Row[]> {
  const folder = await temporaryFolder('forecasts');
  try {
    const raw = await rawLevel(
      RAW,
      join(folder, 'level'),
      inTurn(randomValues(), AT_ONCE),
      AT_ONCE,
    );
    const results = await contest([await ours(folder), raw], options);
    return [
      {
        what: `Forecasts with durable receipts, ${AT_ONCE} at once`,
        unit: 'forecasts/s',
        ours: rateOf(results, OURS),
        peer: 'raw `level`, `batch([...])` with `sync: true`, as many values of 1 KB',
        theirs: rateOf(results, RAW),
        ratio: ratioOf(results, OURS, RAW),
        goal: null,
      },
    ];
  } finally {
    await removeFolder(folder);
  }
}

async function ours(folder: string): Promise<Contestant> {
  const clock = { now: parseTime('2026-07-01T12:00:00Z') };
  const store = await openLevelStore(join(folder, 'ledger'));
  const guard = await FileHeadGuard.open(join(folder, 'guard'));
  const ledger = await benchLedger({ store, guard, now: () => clock.now });
  await openRound(ledger, clock);
  const handles = await HandleStore.open(join(folder, 'handles'), { sha256: nodeSha256 });
  const rows = new ForecastRows(join(folder, 'forecasts'));
  const signer = throwAwaySigner();
  const intake = new ForecastIntake({
    ledger,
    handles,
    rows,
    signer,
    sha256: nodeSha256,
    elapsed: () => performance.now() / 1000,
    perMinute: 1e9,
    onError: (error) => {
      throw error;
    },
  });
  const send = async (handle: string, secret: string | null): Promise<string> => {
    const body = parseForecastBody({ question: ROUND, handle, value: 231_000, secret });
    if (isBodyFault(body)) throw new TypeError(body.expected);
    const client = handle;
    const answer = await intake.submit({ body, client, idempotencyKey: undefined });
    if (answer.kind !== 'accepted') throw new TypeError(answer.detail);
    return answer.secret ?? secret ?? '';
  };
  const names = Array.from({ length: AT_ONCE }, (_, i) => `bench-${i}`);
  const secrets = await Promise.all(names.map((name) => send(name, null)));
  const all = (): Promise<unknown> =>
    Promise.all(names.map((name, i) => send(name, secrets[i] ?? null)));
  return {
    name: OURS,
    run: (ms) => rateFor(ms, AT_ONCE, all),
    async close() {
      await ledger.close();
      await guard.close();
      await handles.close();
      await rows.close();
    },
  };
}

/** A daily index with one print, and its round, which stays open. */
async function openRound(ledger: Ledger, clock: { now: number }): Promise<void> {
  await ledger.write(() => [
    { kind: 'rule/1', body: { rule: DAILY } },
    { kind: 'arena-rule/1', body: { rule: arenaRule() } },
  ]);
  const time = '2026-08-03T08:40:00Z';
  clock.now = parseTime(time);
  const report = sampleReport('final', {
    log: ledger.log,
    rule: { hash: ruleHash(nodeSha256, DAILY), version: DAILY.version },
    period: '2026-08-02',
    value: '230000',
    published_at: time,
    decimals: DAILY.decimals,
    supersedes: null,
  });
  await ledger.write(() => [{ kind: 'report/1', body: { report, signature: SIGNATURE } }]);
  clock.now = parseTime('2026-08-04T02:00:00Z');
  await ledger.write(({ views, at }) =>
    dueRounds(views, nodeSha256, parseTime(at)).map((body) => ({ kind: 'round/1', body })),
  );
}
