import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { ROOT } from '../../src/core/fixture/fixture.ts';
import { end, type Machine, type Machines, machinesOf } from './machines.ts';
import type { FromMachine, KnownLog, ToPublisher, ToRecounter } from './messages.ts';

/** A Wednesday: the week ending 2026-08-01 is released the day after. */
export const BEGIN: number = parseTime('2026-08-05T00:00:00Z' as TimeText);
/** Half an hour after the release: within the freeze window. */
export const PRINTED: number = parseTime('2026-08-06T13:00:00Z' as TimeText);
/** Three hours after the release: what is printed now is final. */
export const FROZEN: number = parseTime('2026-08-06T15:30:00Z' as TimeText);
/** When no read can count any more, and every word is late. */
export const OVER: number = parseTime('2026-08-25T00:00:00Z' as TimeText);
export const PERIOD = '2026-08-01';

export const PORT = 8787;
const NAMES = ['publisher', 'one', 'two', 'auditor'] as const;
export type Name = (typeof NAMES)[number];

/** Milliseconds that anything may take which the scenario waits for. */
const PATIENCE_MS = 240_000;

type Opened = Extract<FromMachine, { kind: 'opened' }>;

/** A program of a scenario: on a machine, over the restarts that its data outlives. */
export class Program {
  readonly #machine: Machine;
  readonly #script: string;
  readonly data: string;
  readonly #world: World;
  readonly #offsetS: number;
  #child: ChildProcess | undefined;
  opened: Opened | undefined;

  constructor(world: World, machine: Machine, script: string, data: string, offsetS = 0) {
    this.#world = world;
    this.#machine = machine;
    this.#script = script;
    this.data = data;
    this.#offsetS = offsetS;
  }

  get address(): string {
    return this.#machine.address;
  }

  url(port: number = PORT): string {
    return `http://${this.address}:${port}`;
  }

  /** The log that it serves. */
  log(port: number = PORT): KnownLog {
    const { vkey, logId } = this.opened as Opened;
    return { url: this.url(port), vkey, logId };
  }

  async open(message: {
    readonly origin: string;
    readonly witnessesRequired?: number;
  }): Promise<Opened> {
    const child = this.#machine.start(process.execPath, ['--enable-source-maps', this.#script], {
      ipc: true,
      ...(this.#offsetS === 0 ? {} : { clockOffsetS: this.#offsetS }),
      env: { SCENARIO_LOG: process.env['SCENARIO_LOG'] ?? 'silent' },
    });
    child.stderr?.on('data', (piece: Buffer) => process.stderr.write(piece));
    child.stdout?.on('data', (piece: Buffer) => {
      if (process.env['SCENARIO_LOG'] !== undefined) process.stderr.write(piece);
    });
    this.#child = child;
    await this.shift(this.#world.shift);
    const answer = await this.tell({ kind: 'open', data: this.data, ...message } as ToPublisher);
    assert.equal(answer.kind, 'opened', JSON.stringify(answer));
    this.opened = answer as Opened;
    return this.opened;
  }

  async tell(message: ToPublisher | ToRecounter): Promise<FromMachine> {
    const child = this.#child as ChildProcess;
    const answer = once(child, 'message') as Promise<[FromMachine]>;
    child.send(message);
    const left = once(child, 'close').then(() => assert.fail(`${this.#script} has ended`));
    return (await Promise.race([answer, left]))[0];
  }

  async shift(seconds: number): Promise<void> {
    if (this.#child !== undefined) await this.tell({ kind: 'shift', seconds });
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined) await end(child);
  }
}

/** A publisher, two recounters and an auditor, each on a machine of its own. */
export class World {
  readonly machines: Machines<Name>;
  readonly folder: string;
  readonly publisher: Program;
  readonly one: Program;
  readonly two: Program;
  shift = 0;

  private constructor(machines: Machines<Name>, folder: string, offsetS: number) {
    this.machines = machines;
    this.folder = folder;
    const { publisher, one, two } = machines.machine;
    this.publisher = this.program(publisher, 'publisher');
    this.one = this.program(one, 'one');
    this.two = this.program(two, 'two', offsetS);
  }

  /** Undefined, with the test skipped, where there can be no machines. `offsetS` sets the clock of recounter two off. */
  static async make(t: TestContext, offsetS = 0): Promise<World | undefined> {
    const machines = await machinesOf(t, NAMES);
    if (machines === undefined) return undefined;
    const folder = await mkdtemp(join(tmpdir(), 'assay-scenario-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const world = new World(machines, folder, offsetS);
    world.#at(BEGIN);
    return world;
  }

  program(machine: Machine, data: string, offsetS = 0): Program {
    const script = machine.name === 'publisher' ? 'publisher' : 'recounter';
    const path = fileURLToPath(new URL(`.//${script}-program.js`, import.meta.url));
    return new Program(this, machine, path, join(this.folder, data), offsetS);
  }

  /** Opens everybody, so that each can be told of the others. */
  async open(witnessesRequired = 0): Promise<void> {
    const { publisher, one, two } = this;
    await Promise.all([
      publisher.open({ origin: 'development/scenario', witnessesRequired }),
      one.open({ origin: 'development/scenario/one' }),
      two.open({ origin: 'development/scenario/two' }),
    ]);
  }

  /** The keys of the two recounters, as a set. */
  get cosigners(): readonly { readonly name: string; readonly key: string }[] {
    return [
      { name: 'one', key: (this.one.opened as Opened).key },
      { name: 'two', key: (this.two.opened as Opened).key },
    ];
  }

  /** Starts a recounter, and gives its key as a witness. */
  async beginRecounter(
    program: Program,
    {
      lies = false,
      at = PORT,
      publisherAt = PORT,
    }: { lies?: boolean; at?: number; publisherAt?: number } = {},
  ): Promise<string> {
    const other = program === this.two ? this.one : this.two;
    const answer = await program.tell({
      kind: 'begin',
      host: program.address,
      port: at,
      publisher: this.publisher.log(publisherAt),
      witnesses: [this.one, this.two].map((each) => each.opened?.witnessVkey ?? ''),
      peers: program === this.one || program === this.two ? [other.log()] : [],
      lies,
    });
    assert.equal(answer.kind, 'begun', JSON.stringify(answer));
    return program.opened?.witnessVkey ?? '';
  }

  async beginPublisher(
    program: Program = this.publisher,
    {
      witnesses = [],
      port = PORT,
      hidingPort = null,
    }: {
      witnesses?: readonly { readonly url: string; readonly vkey: string }[];
      port?: number;
      hidingPort?: number | null;
    } = {},
  ): Promise<FromMachine> {
    return program.tell({
      kind: 'begin',
      host: program.address,
      port,
      cosigners: this.cosigners,
      witnesses,
      hidingPort,
    });
  }

  /** Moves every machine's time. */
  async move(to: number, ...more: readonly Program[]): Promise<void> {
    this.#at(to);
    for (const program of [this.publisher, this.one, this.two, ...more])
      await program.shift(this.shift);
  }

  #at(to: number): void {
    this.shift = to - Math.floor(Date.now() / 1000);
  }

  /** What a machine gets as JSON from an address; undefined where nobody answers with it. */
  async get(url: string, from: Name = 'auditor'): Promise<unknown> {
    const script = `fetch(process.argv[1], { signal: AbortSignal.timeout(15_000) })
      .then(async (r) => console.log(r.ok ? await r.text() : 'null'), () => console.log('null'));`;
    const { out } = await this.run(from, process.execPath, ['-e', script, url]);
    return JSON.parse(out === '' ? 'null' : out) ?? undefined;
  }

  /** The `assay` command on a machine. */
  assay(from: Name, ...args: readonly string[]): Promise<Ran> {
    const bin = join(ROOT, 'cli', 'bin', 'assay.js');
    return this.run(from, process.execPath, [bin, ...args], { HOME: join(this.folder, from) });
  }

  async run(
    from: Name,
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ran> {
    const child = this.machines.machine[from].start(command, args, { env });
    let out = '';
    let err = '';
    child.stdout?.on('data', (piece: Buffer) => (out += piece.toString()));
    child.stderr?.on('data', (piece: Buffer) => (err += piece.toString()));
    child.stdin?.end();
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out: out.trim(), err: err.trim() };
  }

  /** The report of the period as the publisher serves it. */
  async report(
    url: string = this.publisher.url(),
    from: Name = 'auditor',
  ): Promise<Reported | undefined> {
    const path = `${url}/indices/LAYOFFS/report?period=${PERIOD}`;
    return (await this.get(path, from)) as Reported | undefined;
  }

  /** Waits until a look comes to what is wanted. */
  async until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    const late = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      assert.equal(performance.now() < late, true, `never: ${what}`);
      await sleep(150);
    }
  }

  /** Waits until the period's report has a status, and so many agreements. */
  reached(status: string, have: number, url?: string, from?: Name): Promise<Reported> {
    return this.until(`${status} with ${have} of 2`, async () => {
      const found = await this.report(url, from);
      return found?.report.status === status && found.quorum.have === have && found;
    });
  }

  /** Takes everything from a program's disk but what lies in its safe: a copy of its keys. Gives that. */
  async loseDisk(program: Program): Promise<string> {
    const safe = `${program.data}-keys`;
    await cp(join(program.data, 'keys'), safe, { recursive: true });
    await rm(program.data, { recursive: true });
    return safe;
  }

  /** A copy of a program's data as it lies on the disk now; nothing may be writing there. */
  async copy(program: Program, name: string): Promise<string> {
    const to = join(this.folder, name);
    await cp(program.data, to, { recursive: true });
    return to;
  }
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Of the report payload, what the scenarios look at. */
export interface Reported {
  readonly report: { readonly status: string; readonly value: string };
  readonly quorum: { readonly required: number; readonly have: number };
  readonly dissents: readonly unknown[];
}
