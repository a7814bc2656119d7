import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../adversary/dice.ts';
import { STRACE } from '../strace.ts';
import type { Cluster } from './cluster.ts';
import { type Machine, processesOf, signalAll } from './machine.ts';
import type { Part } from './part.ts';

/** Something that is broken for a while, and mended by itself. */
export interface Fault {
  readonly name: string;
  /** Breaks it, and resolves when it is mended. */
  readonly run: () => Promise<void>;
}

const MOST_PAUSE_MS = 12_000;

async function paused(part: Part, ms: number): Promise<void> {
  part.signal('SIGSTOP');
  await sleep(ms);
  part.signal('SIGCONT');
}

async function pausedDatabase({ database }: Machine, ms: number): Promise<void> {
  const pids = processesOf(database);
  signalAll(pids, 'SIGSTOP');
  await sleep(ms);
  signalAll(pids, 'SIGCONT');
}

async function killedDatabase({ database }: Machine): Promise<void> {
  await database.kill();
  await database.launch({});
}

/** Each sync of these processes takes `syncMs` longer, for `ms`. */
async function slowed(pids: readonly number[], syncMs: number, ms: number): Promise<void> {
  const [program = '', ...flags] = STRACE;
  const which = pids.flatMap((pid) => ['-p', `${pid}`]);
  const inject = `inject=fsync,fdatasync:delay_enter=${syncMs * 1000}`;
  const child = spawn(
    program,
    [...flags, '-o', '/dev/null', '-e', 'trace=fsync,fdatasync', '-e', inject, ...which],
    { stdio: 'ignore' },
  );
  await sleep(ms);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

/** What there is to break, drawn with `dice`. `canTrace` says whether strace can be used. */
export function smallFaults(cluster: Cluster, dice: Dice, canTrace: boolean): readonly Fault[] {
  const { writer, standby, primary, readers, recounters, nginx, store, clocks } = cluster;
  const following = cluster.other(primary);
  const ms = dice.between(500, MOST_PAUSE_MS);
  const seconds = (ms / 1000).toFixed(1);
  const faults: Fault[] = [];
  const add = (name: string, run: () => Promise<void>): void => {
    faults.push({ name, run });
  };
  const restarted = (part: Part) => async (): Promise<void> => {
    part.kill();
    await sleep(1000);
  };
  add('the writer is killed', restarted(writer.node));
  add('the standby is killed', restarted(standby.node));
  add(`the writer is paused for ${seconds} s`, () => paused(writer.node, ms));
  add(`the standby is paused for ${seconds} s`, () => paused(standby.node, ms));
  add('the database is killed', () => killedDatabase(primary));
  add('the standby of the database is killed', () => killedDatabase(following));
  add(`the database is paused for ${seconds} s`, () => pausedDatabase(primary, ms));
  add(`the standby of the database is paused for ${seconds} s`, () =>
    pausedDatabase(following, ms),
  );
  for (const [name, link] of cluster.links) {
    const how = dice.pick(['silent', 'refused'] as const);
    add(`${name}: cut, ${how}, for ${seconds} s`, async () => {
      link.cut(how);
      await sleep(ms);
      link.heal();
    });
  }
  const reader = dice.pick(readers);
  add(`${reader.name} is killed`, restarted(reader));
  add(`${reader.name} is paused for ${seconds} s`, () => paused(reader, ms));
  const recounter = dice.pick(recounters);
  add(`${recounter.name} is killed`, restarted(recounter));
  if (nginx !== undefined) add('nginx is killed', restarted(nginx));
  if (store !== undefined) add(`the store is paused for ${seconds} s`, () => paused(store, ms));
  for (const machine of [writer, standby]) {
    const clock = clocks.get(machine.name);
    if (clock === undefined) continue;
    const by = dice.pick([-400, -30, -3, 3, 30, 400]);
    const words = by < 0 ? `set back by ${-by} s` : `set ahead by ${by} s`;
    add(`the clock of the ${machine.role} is ${words} for ${seconds} s`, async () => {
      clock.set(by);
      await sleep(ms + 1000);
      clock.set(0);
      await sleep(1000);
    });
  }
  if (canTrace) {
    const syncMs = dice.between(50, 400);
    const slow = (name: string, pids: () => readonly number[]): void =>
      add(`the disk of ${name} takes ${syncMs} ms a sync for ${seconds} s`, () =>
        slowed(pids(), syncMs, ms),
      );
    slow('the writer', () => [writer.node.pid].filter((pid) => pid !== undefined));
    slow('the database', () => processesOf(primary.database));
    slow('the standby of the database', () => processesOf(following.database));
  }
  return faults;
}
