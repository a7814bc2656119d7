import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { type Machine, processesOf, signalAll } from './machine.ts';
import { MOST_MS, until } from './part.ts';

/** Milliseconds for which a writer that is cut off may go on before its machine is taken away. */
const STOP_MS = 20_000;

/** How a writer is lost. */
export const LOSSES = [
  'the node of the writer is killed for good',
  'the node of the writer is paused, and wakes up after the promotion',
  'the machine of the writer is lost with its database',
  'the machine of the writer hangs with its database, and wakes up after the promotion',
  'the machines are cut apart',
] as const;
export type Loss = (typeof LOSSES)[number];

/** What a promotion took, in milliseconds. */
export interface Outage {
  readonly loss: Loss;
  /** From the last acknowledgement of the old writer to the first one of the new writer. */
  readonly outageMs: number;
  /** From the fault to the beginning of `assay promote`: the old one shut out, a database promoted and given a standby. */
  readonly databaseMs: number;
  /** `assay promote`, with the refused calls before it. */
  readonly promoteMs: number;
  readonly refused: number;
  /** From its end to the first acknowledgement. */
  readonly startMs: number;
  /** From the first acknowledgement until readers were shown it. */
  readonly readersMs: number;
  /** Entries that came from the head guard, and blobs that were missing. */
  readonly replayed: number;
  readonly lacking: number;
}

/** Loses the writer in this way, makes the other machine the writer as docs/standby.md has it, and brings the first one back. */
export async function loseWriter(cluster: Cluster, loss: Loss): Promise<Outage> {
  const old = cluster.writer;
  const next = cluster.standby;
  await cluster.isReady(next);
  const began = performance.now();
  const oldDatabase = old.database;
  const isDatabaseLost = loss !== LOSSES[0] && loss !== LOSSES[1];
  const oldProcesses = await breakIt(cluster, loss, old, next);

  if (isDatabaseLost) {
    if (cluster.primary === old) {
      await next.database.promote();
      cluster.primary = next;
    }
    // Commits wait for a standby again before anybody commits.
    await cluster.makeDatabase(old);
  }
  const asked = performance.now();
  const { refused, replayed, lacking } = await promoteUntilDone(cluster, next, loss);
  const promoted = performance.now();
  next.role = 'writer';
  cluster.writer = next;
  cluster.feed.aim(next.feedPort);
  const first = await until(
    `${next.name} acknowledges: ${next.node.lines.slice(-4).join('; ')}`,
    () => cluster.acknowledged.find(({ by, at }) => by === next && at > asked),
  );
  const last = cluster.acknowledged.findLast(({ by, at }) => by === old && at < first.at);
  await until('the readers have it', () => (cluster.watchers.sizes.get('front') ?? 0) > first.seq);
  const shown = performance.now();

  await wakeUp(loss, old, oldProcesses, began);
  await old.node.end();
  if (isDatabaseLost) {
    signalAll(oldProcesses, 'SIGCONT');
    await oldDatabase.close();
    cluster.aimHome(old);
  }
  cluster.rejoin(old);
  return {
    loss,
    outageMs: first.at - (last?.at ?? began),
    databaseMs: asked - began,
    promoteMs: promoted - asked,
    refused,
    startMs: first.at - promoted,
    readersMs: shown - first.at,
    replayed,
    lacking,
  };
}

/** Breaks it, and shuts the old writer out. Returns the processes of its database that are paused. */
async function breakIt(
  cluster: Cluster,
  loss: Loss,
  old: Machine,
  next: Machine,
): Promise<readonly number[]> {
  switch (loss) {
    case 'the node of the writer is killed for good':
      await old.node.end();
      return [];
    case 'the node of the writer is paused, and wakes up after the promotion':
      old.node.signal('SIGSTOP');
      return [];
    case 'the machine of the writer is lost with its database':
      await Promise.all([old.node.end(), old.database.kill()]);
      return [];
    case 'the machine of the writer hangs with its database, and wakes up after the promotion': {
      const processes = processesOf(old.database);
      old.node.signal('SIGSTOP');
      signalAll(processes, 'SIGSTOP');
      return processes;
    }
    case 'the machines are cut apart': {
      const index = cluster.machines.indexOf(old);
      const between = [
        old.toDatabases[1 - index],
        next.toDatabases[index],
        cluster.replication,
        next.follow,
        old.follow,
      ];
      const stops = old.node.lines.filter((line) => line.startsWith('stopped')).length;
      for (const link of between) link?.cut('silent');
      // Somebody loses patience again and again. What waited is on this database alone then, and its session is warned.
      const impatient = async (): Promise<void> => {
        if (cluster.primary !== old) return;
        await old.database.sql(
          `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
        );
      };
      // One that does not stop goes on alone, and what it acknowledges is missing in the end.
      const hasStopped = (): boolean =>
        old.node.lines.filter((line) => line.startsWith('stopped')).length > stops;
      for (const end = performance.now() + STOP_MS; performance.now() < end && !hasStopped();) {
        await impatient();
        await sleep(100);
      }
      for (let i = 0; i < 10; i += 1) {
        await sleep(200);
        await impatient();
      }
      await Promise.all([old.node.end(), old.database.kill()]);
      for (const link of between) link?.heal();
      return [];
    }
  }
}

/** Calls `assay promote` until it succeeds. A refusal that no later call would lift is thrown. */
async function promoteUntilDone(
  cluster: Cluster,
  next: Machine,
  words: string,
): Promise<{ readonly refused: number; readonly replayed: number; readonly lacking: number }> {
  for (let refused = 0, end = performance.now() + MOST_MS; ; refused += 1) {
    const { code, said } = await cluster.promote(next, words);
    if (code === 0) {
      const number = (found: RegExp): number => Number(found.exec(said)?.[1] ?? 0);
      const replayed = number(/of which (\d+) come from the head guard/);
      return { refused, replayed, lacking: number(/^(\d+) blobs that those entries name/m) };
    }
    const passes = /\[(?:guard_unknown|guard_unsafe|unreachable|timeout)\]/.test(said);
    if (!passes || performance.now() > end) throw new Error(said);
    await sleep(1000);
  }
}

/** Wakes up a writer that was paused, and waits until it knows that it is none. */
async function wakeUp(
  loss: Loss,
  old: Machine,
  processes: readonly number[],
  began: number,
): Promise<void> {
  if (loss === LOSSES[1]) {
    const told = old.node.lines.length;
    old.node.signal('SIGCONT');
    await until(`${old.name} is told that its epoch is over (${began})`, () =>
      old.node.lines.slice(told).some((line) => /^(?:stopped|ended) .*epoch_over/.test(line)),
    );
  }
  if (loss === LOSSES[3]) {
    signalAll(processes, 'SIGCONT');
    old.node.signal('SIGCONT');
    // Two databases take writes now, and nothing that the old one takes is confirmed. What is acknowledged all the same
    // is missing in the end.
    await sleep(5000);
  }
}
