import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { freePort } from '../../interop/free-port.ts';
import { PostgresServer } from '../../interop/postgres-cluster.ts';
import { ROOT } from '../../src/core/fixture/fixture.ts';
import { Link } from './link.ts';
import { faketimeLibrary, Machine, SetClock } from './machine.ts';
import { answers, Part, until } from './part.ts';
import { Watchers } from './watchers.ts';

const WORKER = fileURLToPath(new URL('../standby-worker.js', import.meta.url));
const CLI = join(ROOT, 'cli', 'bin', 'assay.js');
const BUCKET = 'assay';
const ORIGIN = 'development/cluster';
/** Milliseconds between two appends, so that an hour's log can be read in a minute. */
const APPEND_MS = 60;
/** Seconds after which a commit counts as not known. */
const GUARD_S = 5;
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'cluster', AWS_SECRET_ACCESS_KEY: 'cluster-secret' };

/** One request at a time: with threads moto does not keep the conditions of writes. */
const MOTO = `
import sys
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
app = DomainDispatcherApplication(create_backend_app)
run_simple('127.0.0.1', int(sys.argv[1]), app, threaded=False)
`;

/** The policy of a bucket that anybody may read. */
const READ_BY_ALL = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::${BUCKET}/*`,
    },
  ],
};

/** An entry that a writer has acknowledged, and when. */
export interface Acknowledged {
  readonly seq: number;
  readonly text: string;
  readonly by: Machine;
  readonly at: number;
}

export interface ClusterOptions {
  /** The Python that has moto; undefined to go without a store. */
  readonly moto: string | undefined;
  readonly hasNginx: boolean;
}

/** A whole service: two machines, of which one writes, and everything that reads from it. */
export class Cluster {
  readonly acknowledged: Acknowledged[] = [];
  readonly machines: readonly [Machine, Machine];
  readonly watchers: Watchers;
  readonly vkey: string;
  readonly clocks: ReadonlyMap<string, SetClock>;
  readonly readers: readonly Part[];
  readonly recounters: readonly Part[];
  readonly nginx: Part | undefined;
  readonly store: Part | undefined;
  /** The way of the readers to the writer. */
  readonly feed: Link;
  /** The way of the store to nobody but the writers. */
  readonly toStore: Link | undefined;
  /** The way of the database that follows to the one that does not. */
  replication: Link | undefined;
  writer: Machine;
  /** Whose database takes writes. */
  primary: Machine;
  readonly #root: string;
  readonly #secret: string;
  readonly #password: string;
  readonly #closers: (() => void | Promise<void>)[];
  #databases = 0;

  private constructor(made: {
    readonly machines: readonly [Machine, Machine];
    readonly vkey: string;
    readonly root: string;
    readonly closers: (() => void | Promise<void>)[];
    readonly readers: readonly Part[];
    readonly recounters: readonly Part[];
    readonly nginx: Part | undefined;
    readonly store: Part | undefined;
    readonly feed: Link;
    readonly toStore: Link | undefined;
    readonly secret: string;
  }) {
    this.machines = made.machines;
    this.vkey = made.vkey;
    this.readers = made.readers;
    this.recounters = made.recounters;
    this.nginx = made.nginx;
    this.store = made.store;
    this.feed = made.feed;
    this.toStore = made.toStore;
    this.#root = made.root;
    this.#closers = made.closers;
    this.#secret = made.secret;
    [this.writer] = made.machines;
    this.primary = this.writer;
    this.#password = this.writer.database.password;
    this.watchers = new Watchers(made.vkey);
    made.closers.push(() => this.watchers.close());
    const library = faketimeLibrary();
    this.clocks = new Map(
      library === undefined
        ? []
        : made.machines.map(({ name }) => [
            name,
            new SetClock(join(made.root, `clock-${name}`), library),
          ]),
    );
    for (const machine of made.machines) this.#makeNode(machine);
  }

  /** The machine that does not write. */
  get standby(): Machine {
    return this.other(this.writer);
  }

  other(machine: Machine): Machine {
    const [first, second] = this.machines;
    return machine === first ? second : first;
  }

  /** The address through which the world reads. */
  get front(): string {
    const port = this.#ports.nginx ?? this.#ports.readers[0];
    return `http://127.0.0.1:${port}`;
  }

  get bucket(): string | undefined {
    const port = this.#ports.store;
    return port === undefined ? undefined : `http://127.0.0.1:${port}/${BUCKET}`;
  }

  /** The ways that a cut may be on, by what they are for. */
  get links(): ReadonlyMap<string, Link> {
    const { writer, standby, primary } = this;
    const index = this.machines.indexOf(primary);
    const links: [string, Link | undefined][] = [
      ['database to database', this.replication],
      ['writer to database', writer.toDatabases[index]],
      ['standby to database', standby.toDatabases[index]],
      ['standby to writer', standby.follow],
      ['readers to writer', this.feed],
      ['writer to store', this.toStore],
    ];
    return new Map(links.flatMap(([name, link]) => (link === undefined ? [] : [[name, link]])));
  }

  #ports: {
    readonly nginx: number | undefined;
    readonly store: number | undefined;
    readonly readers: readonly number[];
    readonly recounters: readonly number[];
  } = { nginx: undefined, store: undefined, readers: [], recounters: [] };

  /** Starts everything. What has begun is ended where it fails. */
  static async start({ moto, hasNginx }: ClusterOptions): Promise<Cluster> {
    const closers: (() => void | Promise<void>)[] = [];
    try {
      const root = mkdtempSync(join(tmpdir(), 'assay-cluster-'));
      closers.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));
      const link = async (name: string, target: number): Promise<Link> => {
        const made = await Link.to(name, target);
        closers.push(() => made.close());
        return made;
      };
      const part = (
        name: string,
        program: string,
        parameters: readonly string[],
        variables: NodeJS.ProcessEnv = {},
      ): Part => {
        const made = new Part(name, () => ({ program, parameters, variables, folder: root }));
        closers.push(() => made.end());
        return made;
      };
      const database = await PostgresServer.start();
      closers.push(() => database.close());
      const names = ['m1', 'm2'] as const;
      const api = [await freePort(), await freePort()] as const;
      const machine = async (index: 0 | 1): Promise<Machine> => {
        const name = names[index];
        const to = (of: 0 | 1): Promise<Link> =>
          link(`${name} to ${names[of]}'s database`, database.port);
        return new Machine({
          name,
          apiPort: api[index],
          feedPort: await freePort(),
          toDatabases: [await to(0), await to(1)],
          follow: await link(`${name} follows`, api[1 - index] as number),
          database,
        });
      };
      const machines = [await machine(0), await machine(1)] as const;
      const [first] = machines;
      const { checkpointVkey: vkey } = await initData(
        dataFolder(join(root, first.data)),
        nodeSha256,
        () => Math.floor(Date.now() / 1000),
        { origin: ORIGIN, passphrase: undefined, policies: NO_POLICIES },
      );
      cpSync(join(root, first.data, 'keys'), join(root, 'keys'), { recursive: true });

      const feed = await link('readers to writer', first.feedPort);
      const secret = randomBytes(24).toString('hex');
      const readerPorts = [await freePort(), await freePort()];
      const readers = readerPorts.map((port, i) => {
        const quotas = ['--requests-per-minute', '1000000', '--log-requests-per-minute', '1000000'];
        const of = [`http://127.0.0.1:${feed.port}`, '--data', `reader-${i + 1}`, '--key', vkey];
        const parameters = [CLI, 'serve', ...of, '--port', `${port}`, ...quotas];
        return part(`reader-${i + 1}`, process.execPath, parameters, {
          ASSAY_READERS_TOKEN: secret,
          ASSAY_LOG_LEVEL: 'warn',
        });
      });
      const nginxPort = hasNginx ? await freePort() : undefined;
      let nginx: Part | undefined;
      if (nginxPort !== undefined) {
        const config = join(root, 'nginx.conf');
        writeFileSync(config, nginxConfig(root, nginxPort, readerPorts));
        nginx = part('nginx', 'nginx', ['-p', root, '-c', config]);
      }
      const storePort = moto === undefined ? undefined : await freePort();
      const store =
        moto === undefined || storePort === undefined
          ? undefined
          : part('store', moto, ['-c', MOTO, `${storePort}`]);
      const toStore =
        storePort === undefined ? undefined : await link('writer to store', storePort);
      const front = `http://127.0.0.1:${nginxPort ?? readerPorts[0]}`;
      const recounterPorts = [await freePort(), await freePort()];
      const recounters: Part[] = [];
      for (const [i, port] of recounterPorts.entries()) {
        const name = `recount-${i + 1}`;
        const of = ['--publisher', front, '--checkpoint-vkey', vkey, '--contact', 'x@example.org'];
        const as = ['--origin', `development/${name}`, '--name', name];
        await ran([CLI, 'recount', 'init', name, ...of, ...as], root);
        const path = join(root, name, 'recount.json');
        const fields = { port, poll_s: 1, metrics: false, log_level: 'warn' };
        const config = JSON.parse(readFileSync(path, 'utf8')) as object;
        writeFileSync(path, JSON.stringify({ ...config, ...fields }));
        recounters.push(part(name, process.execPath, [CLI, 'recount', 'run', path]));
      }
      const cluster = new Cluster({
        machines,
        vkey,
        root,
        closers,
        readers,
        recounters,
        nginx,
        store,
        feed,
        toStore,
        secret,
      });
      cluster.#ports = {
        nginx: nginxPort,
        store: storePort,
        readers: readerPorts,
        recounters: recounterPorts,
      };
      await cluster.#startAll();
      return cluster;
    } catch (error) {
      for (const each of closers.reverse()) await each();
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const each of this.#closers.splice(0).reverse()) await each();
  }

  /** Where the node of a machine is configured, in its present life. */
  configOf(machine: Machine): string {
    return join(this.#root, `${machine.data}.json`);
  }

  /** All processes of Assay, and what stands around them. */
  get parts(): readonly Part[] {
    const { machines, readers, recounters, nginx, store } = this;
    const all = [...machines.map(({ node }) => node), ...readers, ...recounters, nginx, store];
    return all.filter((each) => each !== undefined);
  }

  /** Waits until so many more entries have been acknowledged by the writer. */
  async acknowledges(count: number): Promise<void> {
    const { writer } = this;
    const before = this.acknowledged.length;
    await until(
      `${count} entries of ${writer.name}: ${writer.node.lines.slice(-4).join('; ')} ${writer.node.errors}`,
      () => this.acknowledged.slice(before).filter(({ by }) => by === writer).length >= count,
    );
  }

  /** Waits until a machine could be promoted without loss. */
  async isReady(machine: Machine): Promise<void> {
    await until(`${machine.name} is ready: ${machine.node.errors}`, () =>
      answers(`${machine.url}/readyz`),
    );
  }

  /** The longest time without an acknowledgement between two moments, in milliseconds. */
  pauseBetween(from: number, to: number): number {
    const times = this.acknowledged.map(({ at }) => at);
    let longest = 0;
    for (const [i, at] of times.entries()) {
      const next = times[i + 1] ?? to;
      if (next < from || at > to) continue;
      longest = Math.max(longest, next - at);
    }
    return longest;
  }

  /** Runs `assay promote` for a machine, and returns what it said. */
  promote(
    machine: Machine,
    words: string,
  ): Promise<{ readonly code: number; readonly said: string }> {
    return ranCode(
      [CLI, 'promote', '--config', this.configOf(machine), '--fenced', words],
      this.#root,
      {
        ASSAY_GUARD_PASSWORD: this.#password,
      },
    );
  }

  /** Makes a standby of the primary's database for a machine, and waits until commits wait for it. */
  async makeDatabase(machine: Machine): Promise<void> {
    const { primary } = this;
    this.#databases += 1;
    const name = `db${this.#databases}`;
    const server = await primary.database.standby(name);
    this.#closers.push(() => server.close());
    const way = await Link.to('database to database', primary.database.port);
    this.#closers.push(() => way.close());
    const user = `user=${server.user} password=${server.password}`;
    await server.set(
      'primary_conninfo',
      `host=127.0.0.1 port=${way.port} ${user} application_name=${name}`,
    );
    await primary.database.confirmedBy(name);
    this.replication = way;
    machine.database = server;
    this.other(machine).toDatabases[this.machines.indexOf(machine)]?.aim(server.port);
  }

  /** From now on this machine's node asks its own database where it is. */
  aimHome(machine: Machine): void {
    machine.toDatabases[this.machines.indexOf(machine)]?.aim(machine.database.port);
  }

  /** Begins the node of a machine anew, as a standby in an empty folder with the keys. */
  rejoin(machine: Machine): void {
    machine.life += 1;
    machine.role = 'standby';
    this.#writeConfig(machine);
    machine.node.start();
  }

  /** The whole log is checked by the command that anybody has. */
  verify(url: string): Promise<{ readonly code: number; readonly said: string }> {
    return ranCode([CLI, 'verify', url, '--key', this.vkey, '--no-pin'], this.#root);
  }

  async #startAll(): Promise<void> {
    const [first, second] = this.machines;
    await this.makeDatabase(second);
    this.aimHome(second);
    this.store?.start();
    if (this.#ports.store !== undefined) {
      const url = `http://127.0.0.1:${this.#ports.store}`;
      await until('the store', () => answers(url));
      const made = await fetch(`${url}/${BUCKET}`, { method: 'PUT' });
      if (!made.ok) throw new Error(`the store makes no bucket: ${made.status}`);
      const allowed = await fetch(`${url}/${BUCKET}?policy`, {
        method: 'PUT',
        body: JSON.stringify(READ_BY_ALL),
      });
      if (!allowed.ok) throw new Error(`the bucket cannot be opened: ${allowed.status}`);
    }
    first.role = 'writer';
    this.#writeConfig(first);
    first.node.start();
    await this.acknowledges(1);
    this.#writeConfig(second);
    second.node.start();
    for (const each of this.readers) each.start();
    const readers = this.#ports.readers.map((port) => `http://127.0.0.1:${port}`);
    for (const url of readers) await until(`${url} answers`, () => answers(`${url}/checkpoint`));
    this.nginx?.start();
    await until('nginx answers', () => answers(`${this.front}/checkpoint`));
    for (const each of this.recounters) each.start();
    await this.isReady(second);
    await this.#watch(readers);
  }

  async #watch(readers: readonly string[]): Promise<void> {
    const { watchers, machines, bucket } = this;
    for (const { name, url } of machines) watchers.ask(name, url);
    for (const [i, url] of readers.entries()) watchers.ask(`reader-${i + 1}`, url);
    watchers.ask('front', this.front);
    if (bucket !== undefined) watchers.ask('bucket', bucket);
    const hash = Buffer.from(nodeSha256(Buffer.from(ORIGIN))).toString('hex');
    for (const [i, port] of this.#ports.recounters.entries()) {
      watchers.ask(`recount-${i + 1}`, `http://127.0.0.1:${port}/mirror/${hash}`);
    }
    await watchers.mirror('a mirror of the readers', this.front);
    await watchers.mirror('another mirror', bucket ?? readers.at(-1) ?? this.front);
  }

  #makeNode(machine: Machine): void {
    let starts = 0;
    machine.node = new Part(
      machine.name,
      () => {
        starts += 1;
        const name = `${machine.data}.${starts}`;
        const parameters = [WORKER, machine.role, this.configOf(machine), name, `${APPEND_MS}`];
        return {
          program: process.execPath,
          parameters,
          folder: this.#root,
          variables: {
            ASSAY_GUARD_PASSWORD: this.#password,
            ASSAY_READERS_TOKEN: this.#secret,
            ...CREDENTIALS,
            ...this.clocks.get(machine.name)?.variables,
          },
        };
      },
      (line) => {
        const [word, first, second = ''] = line.split(' ');
        if (word === 'ack') {
          const at = performance.now();
          this.acknowledged.push({ seq: Number(first), text: second, by: machine, at });
        }
        if (word === 'head') this.watchers.keep(machine.name, Number(first), second);
      },
    );
    this.#closers.push(() => machine.node.end());
  }

  #writeConfig(machine: Machine): void {
    const folder = join(this.#root, machine.data);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    cpSync(join(this.#root, 'keys'), join(folder, 'keys'), { recursive: true });
    chmodSync(join(folder, 'keys'), 0o700);
    const { toStore } = this;
    const config = {
      data: machine.data,
      contact: 'cluster@example.org',
      transport: 'node',
      port: machine.apiPort,
      readers_port: machine.feedPort,
      metrics: false,
      log_level: 'error',
      log_requests_per_minute: 1_000_000,
      requests_per_minute: 1_000_000,
      head_guard: {
        kind: 'postgres',
        addresses: machine.toDatabases.map(({ port }) => `127.0.0.1:${port}`),
        database: machine.database.database,
        user: machine.database.user,
        tls: 'off',
        timeout_s: GUARD_S,
      },
      standby: {
        name: machine.data,
        publisher: `http://127.0.0.1:${machine.follow.port}`,
        checkpoint_vkey: this.vkey,
        poll_s: 0.5,
      },
      ...(toStore === undefined
        ? {}
        : {
            objects: {
              endpoint: `http://127.0.0.1:${toStore.port}`,
              bucket: BUCKET,
              every_s: 2,
              timeout_s: 5,
            },
          }),
    };
    writeFileSync(this.configOf(machine), JSON.stringify(config));
  }
}

/** The sample of docs/proxy.md in front of two readers. */
function nginxConfig(folder: string, port: number, readers: readonly number[]): string {
  const sample = readFileSync(join(ROOT, 'samples', 'proxy', 'nginx.conf'), 'utf8')
    .replace('server 127.0.0.1:8787;', readers.map((each) => `server 127.0.0.1:${each};`).join(' '))
    .replace('listen 8080', `listen 127.0.0.1:${port}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((each) => `  ${each}_temp_path ${folder}/nginx-${each};`)
    .join('\n');
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
${temporary}
${sample}
}
`;
}

async function ranCode(
  parameters: readonly string[],
  folder: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number; readonly said: string }> {
  const child: ChildProcess = spawn(process.execPath, parameters, {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  await once(child, 'close');
  return { code: child.exitCode ?? 1, said };
}

async function ran(parameters: readonly string[], folder: string): Promise<void> {
  const { code, said } = await ranCode(parameters, folder);
  if (code !== 0) throw new Error(said);
}
