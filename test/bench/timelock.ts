import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { beaconPublicKey, signRound } from '@assay/core/timelock/beacon-key';
import type { BeaconChain } from '@assay/core/timelock/beacon-chain';
import { verifyBeacon } from '@assay/core/timelock/beacon-signature';
import { openSealed, sealTo } from '@assay/core/timelock/sealed';
import { openAllSealed } from '@assay/node/timelock/opening-thread';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { tlockJsPeer } from '../interop/timelock-peers.ts';
import { OWN } from '../src/core/timelock/timelock-vectors.ts';
import {
  contest,
  type Contestant,
  type ContestOptions,
  rateFor,
  rateOf,
  ratioOf,
} from './contest.ts';

const ROUND = 1;
/** Messages that are sealed once and opened again and again. */
const DIFFERENT = 50;
/** How much longer the delays of the serving thread may be with the work, at 99 %. */
const GOAL_RATIO = 3;

const secret = new Uint8Array(32).fill(11);
const chain: BeaconChain = { ...OWN, public_key: beaconPublicKey(secret) };
const signature = signRound(secret, ROUND);

/** What sealing, opening and verifying cost beside the bare pairing, and what a thread that opens does to the one that serves. */
export async function timelockSection(short: boolean): Promise<string> {
  const sealer = sealTo(chain, ROUND);
  const sealed = Array.from({ length: DIFFERENT }, (_, i) =>
    sealer.seal(new Uint8Array(32).fill(i), new Uint8Array(32).fill(i + 100)),
  );
  const options = short ? { rounds: 3, ms: 300 } : { rounds: 9, ms: 700 };
  const lines = [
    ['what', 'median', ''],
    ['---', '---', '---'],
    ...(await costs(sealed, options)),
    ...(await inThread(sealed, short ? 200 : 10_000, short ? 5 : 60)),
  ];
  const table = lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
  return `## Sealed messages\n\nMilliseconds of wall time. The ratio is the time of the peer over ours.\n\n${table}\n`;
}

const OPEN = 'a message opened';
const VERIFY = 'the signature of a round verified';
const SEAL = 'a message sealed, the round known';
const PAIRING = "noble's bare pairing, its points parsed before";
const TLOCK = "npm's `tlock-js` 0.9.0 opens it";

async function costs(
  sealed: readonly Uint8Array[],
  options: ContestOptions,
): Promise<readonly string[][]> {
  let at = 0;
  const next = (): Uint8Array => sealed[at++ % sealed.length] as Uint8Array;
  const each = (name: string, work: () => unknown): Contestant => ({
    name,
    run: (ms) => rateFor(ms, 1, () => Promise.resolve(work())),
    close: () => Promise.resolve(),
  });
  const point = bls12_381.G1.Point.fromBytes(signature);
  const points = sealed.map((one) => bls12_381.G2.Point.fromBytes(one.subarray(0, 96)));
  const sealer = sealTo(chain, ROUND);
  const contestants = [
    each(OPEN, () => {
      if (openSealed(signature, next()) === undefined) throw new Error('not opened');
    }),
    each(VERIFY, () => {
      if (!verifyBeacon(chain, ROUND, signature)) throw new Error('not verified');
    }),
    each(SEAL, () => sealer.seal(next().slice(0, 32), next().slice(32, 64))),
    each(PAIRING, () =>
      bls12_381.pairing(point, points[at++ % points.length] as (typeof points)[0]),
    ),
  ];
  const found = await tlockJsPeer();
  if (!('missing' in found)) {
    contestants.push(
      each(TLOCK, () => {
        const one = next();
        const [U, V, W] = [one.slice(0, 96), one.slice(96, 128), one.slice(128)];
        return found.tlock.decryptOnG2(signature, { U, V, W });
      }),
    );
  }
  const results = await contest(contestants, options);
  const ms = (name: string): string => (1000 / rateOf(results, name)).toFixed(1);
  const beside = (name: string, peer: string): string =>
    `ratio ${ratioOf(results, name, peer).toFixed(2)}`;
  return [
    [OPEN, ms(OPEN), ''],
    [PAIRING, ms(PAIRING), beside(OPEN, PAIRING)],
    'missing' in found
      ? [TLOCK, '', `skipped: ${found.missing}`]
      : [TLOCK, ms(TLOCK), beside(OPEN, TLOCK)],
    [VERIFY, ms(VERIFY), ''],
    [SEAL, ms(SEAL), ''],
  ];
}

/** The delays of the event loop while `work` is under way. */
async function delaysDuring(work: () => Promise<unknown>): Promise<IntervalHistogram> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await work();
  delays.disable();
  return delays;
}

async function inThread(
  sealed: readonly Uint8Array[],
  count: number,
  idleSeconds: number,
): Promise<readonly string[][]> {
  const many = Array.from({ length: count }, (_, i) => sealed[i % sealed.length] as Uint8Array);
  // A thread that was started before, and the pages that both need.
  await openAllSealed(signature, many.slice(0, 1));
  const idle = await delaysDuring(() => sleep(idleSeconds * 1000));
  let peak = 0;
  const before = process.memoryUsage.rss();
  const start = performance.now();
  const busy = await delaysDuring(async () => {
    const opened = await openAllSealed(signature, many, {
      onProgress: () => {
        peak = Math.max(peak, process.memoryUsage.rss());
      },
    });
    if (opened.some((each) => each === undefined)) throw new Error('not opened');
  });
  const seconds = (performance.now() - start) / 1000;
  const ms = (value: number): string => (value / 1e6).toFixed(1);
  const figures = (delays: IntervalHistogram): string =>
    [50, 99, 99.9, 100].map((percent) => ms(delays.percentile(percent))).join(', ');
  const ratio = busy.percentile(99) / idle.percentile(99);
  const opened = `${count.toLocaleString('en-US')} messages opened in a thread`;
  return [
    [opened, `${seconds.toFixed(1)} s`, `${((seconds / count) * 1000).toFixed(1)} ms each`],
    [
      'delays of the event loop meanwhile: 50, 99, 99.9 and 100 % are within',
      figures(busy),
      `${ratio.toFixed(1)} times as long at 99 %, at most ${GOAL_RATIO}: ${ratio <= GOAL_RATIO ? 'reached' : 'missed'}`,
    ],
    [`the same without that, for ${idleSeconds} s`, figures(idle), ''],
    ['resident memory that was added', `${Math.ceil((peak - before) / 2 ** 20)} MiB`, ''],
  ];
}
