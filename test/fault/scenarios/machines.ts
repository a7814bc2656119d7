// Machines on one machine: a network namespace each, with an address of its own, on a switch that stands in another.
// What runs in them reaches the others and nothing else: there is no route out.
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

const FAKETIME = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (arch) => `/usr/lib/${arch}/faketime/libfaketime.so.1`,
);

export interface Machine {
  readonly name: string;
  /** Its IPv4 address. */
  readonly address: string;
  /** Starts a program in it; what it says is for the caller. Killed with the test. */
  readonly start: (
    command: string,
    args: readonly string[],
    options?: StartOptions,
  ) => ChildProcess;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds that its clock is ahead of the others'; behind, where negative. */
  readonly clockOffsetS?: number;
  /** With a channel for messages, for a program of Node. */
  readonly ipc?: boolean;
}

export interface Machines<Name extends string> {
  readonly machine: Readonly<Record<Name, Machine>>;
  /** Cuts two machines off from each other, both ways; everything between others goes on. */
  readonly cut: (a: Name, b: Name) => Promise<void>;
  readonly heal: (a: Name, b: Name) => Promise<void>;
}

/** Why there can be no machines here; undefined where there can. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces are a thing of Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  if (spawnSync('ip', ['-V']).status !== 0) return 'ip (iproute2) is not installed';
  const probe = `assay-${process.pid}`;
  if (spawnSync('ip', ['netns', 'add', probe]).status !== 0) {
    return 'network namespaces cannot be made here';
  }
  spawnSync('ip', ['netns', 'del', probe]);
  return undefined;
}

/** The library that sets clocks off, or undefined. */
export function faketimeLibrary(): string | undefined {
  return FAKETIME.find((path) => existsSync(path));
}

/** Machines with these names; undefined, with the test skipped, where there can be none. */
export async function machinesOf<Name extends string>(
  t: TestContext,
  names: readonly Name[],
): Promise<Machines<Name> | undefined> {
  const found = obstacle();
  if (found !== undefined) {
    t.skip(found);
    return undefined;
  }
  const id = randomBytes(3).toString('hex');
  const ip = async (...args: readonly string[]): Promise<void> => {
    await run('ip', args);
  };
  const hub = `assay-${id}-hub`;
  const spaces = [hub, ...names.map((name) => `assay-${id}-${name}`)];
  const children = new Set<ChildProcess>();
  t.after(async () => {
    for (const child of children) await end(child);
    for (const space of spaces) await ip('netns', 'del', space).catch(() => undefined);
  });
  for (const space of spaces) await ip('netns', 'add', space);
  await ip('-n', hub, 'link', 'add', 'hub', 'type', 'bridge');
  await ip('-n', hub, 'link', 'set', 'hub', 'up');
  const machines: Partial<Record<Name, Machine>> = {};
  const addresses = new Map<Name, string>();
  for (const [i, name] of names.entries()) {
    const space = `assay-${id}-${name}`;
    const address = `10.77.0.${i + 1}`;
    await ip(
      'link',
      'add',
      `a${id}${i}`,
      'netns',
      hub,
      'type',
      'veth',
      'peer',
      'name',
      'eth0',
      'netns',
      space,
    );
    await ip('-n', hub, 'link', 'set', `a${id}${i}`, 'master', 'hub', 'up');
    await ip('-n', space, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    await ip('-n', space, 'link', 'set', 'eth0', 'up');
    await ip('-n', space, 'link', 'set', 'lo', 'up');
    addresses.set(name, address);
    machines[name] = {
      name,
      address,
      start(command, args, { env = {}, clockOffsetS = 0, ipc = false } = {}) {
        const clock = clockOffsetS === 0 ? {} : offsetClock(clockOffsetS);
        const child = spawn('ip', ['netns', 'exec', space, command, ...args], {
          env: { PATH: process.env['PATH'], ...clock, ...env },
          stdio: ['pipe', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
        });
        children.add(child);
        child.once('close', () => children.delete(child));
        return child;
      },
    };
  }
  const route = async (verb: 'add' | 'del', from: Name, to: Name): Promise<void> => {
    await ip('-n', `assay-${id}-${from}`, 'route', verb, 'blackhole', `${addresses.get(to)}/32`);
  };
  return {
    machine: machines as Readonly<Record<Name, Machine>>,
    async cut(a, b) {
      await route('add', a, b);
      await route('add', b, a);
    },
    async heal(a, b) {
      await route('del', a, b);
      await route('del', b, a);
    },
  };
}

/** Sets a program's calendar clock off, and leaves its timers alone. */
function offsetClock(seconds: number): Readonly<Record<string, string>> {
  const library = faketimeLibrary();
  if (library === undefined) throw new Error('libfaketime is not installed');
  return {
    LD_PRELOAD: library,
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Ends a program by its process id; `ip netns exec` has become the program itself. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}
