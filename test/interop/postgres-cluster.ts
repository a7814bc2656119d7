import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { freePort } from './free-port.ts';

const VERSIONS = '/usr/lib/postgresql';
const USER = 'assay';
const DATABASE = 'postgres';

/** Who runs a server: this user, or as root, whom the server refuses, the system's `postgres`. */
interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** The programs of PostgreSQL on this machine, or words for why they cannot be used. */
interface Programs {
  readonly bin: string;
  readonly account: Account;
}

function programs(): Programs | string {
  let version: string | undefined;
  try {
    [version] = readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a));
  } catch {
    version = undefined;
  }
  if (version === undefined) return 'PostgreSQL (Debian: postgresql) is not installed';
  const bin = join(VERSIONS, version, 'bin');
  if (process.getuid?.() !== 0) return { bin, account: {} };
  const match = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (match === null) return 'there is no user postgres to run PostgreSQL as';
  return { bin, account: { uid: Number(match[1]), gid: Number(match[2]) } };
}

/** Words for why no server can be started here; undefined if one can. */
export function noPostgres(): string | undefined {
  const found = programs();
  return typeof found === 'string' ? found : undefined;
}

/** A server in a folder of its own, on a port of loopback and on a Unix socket. */
export class PostgresServer {
  readonly port: number;
  /** The folder of its Unix socket. */
  readonly socket: string;
  readonly password: string;
  readonly #programs: Programs;
  readonly #root: string;
  #process: ChildProcess | undefined;

  private constructor(found: Programs, root: string, port: number, password: string) {
    this.#programs = found;
    this.#root = root;
    this.#process = undefined;
    this.port = port;
    this.socket = root;
    this.password = password;
  }

  get user(): string {
    return USER;
  }

  get database(): string {
    return DATABASE;
  }

  get data(): string {
    return join(this.#root, 'data');
  }

  static async #make(password: string): Promise<PostgresServer> {
    const found = programs();
    if (typeof found === 'string') throw new Error(found);
    const root = mkdtempSync(join(tmpdir(), 'assay-postgres-'));
    const { uid, gid = 0 } = found.account;
    if (uid !== undefined) chownSync(root, uid, gid);
    return new PostgresServer(found, root, await freePort(), password);
  }

  /** A new server. Its TCP port asks for the password. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const server = await PostgresServer.#make(randomBytes(8).toString('hex'));
    const file = join(server.#root, 'password');
    writeFileSync(file, server.password);
    server.#own(file);
    server.#run('initdb', [
      '-D',
      server.data,
      '-U',
      USER,
      '--auth-local=trust',
      '--auth-host=scram-sha-256',
      `--pwfile=${file}`,
      '-E',
      'UTF8',
      '--no-locale',
      '--no-sync',
    ]);
    await server.launch(settings);
    return server;
  }

  /** A standby of this one, which confirms its commits under `name` where `synchronous_standby_names` has it. */
  async standby(name: string): Promise<PostgresServer> {
    const server = await PostgresServer.#make(this.password);
    const from = `host=${this.socket} port=${this.port} user=${USER} application_name=${name}`;
    server.#run('pg_basebackup', [
      '-d',
      from,
      '-D',
      server.data,
      '-R',
      '-c',
      'fast',
      '-X',
      'stream',
      '--no-sync',
    ]);
    await server.launch({});
    return server;
  }

  /** Starts the server's process again on the same data. */
  async launch(settings: Readonly<Record<string, string>>): Promise<void> {
    const all = {
      unix_socket_directories: this.socket,
      listen_addresses: '127.0.0.1',
      port: `${this.port}`,
      max_connections: '40',
      shared_buffers: '16MB',
      ...settings,
    };
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const log = spawn(join(this.#programs.bin, 'postgres'), ['-D', this.data, ...flags], {
      ...this.#programs.account,
      cwd: this.#root,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = log;
    let said = '';
    log.stderr?.on('data', (text: Buffer) => {
      said = `${said}${text.toString()}`.slice(-4000);
    });
    for (let tries = 0; ; tries += 1) {
      try {
        await this.sql('select 1');
        return;
      } catch (error) {
        if (tries === 300 || log.exitCode !== null)
          throw new Error(`PostgreSQL: ${said}`, { cause: error });
        await sleep(50);
      }
    }
  }

  /** Runs statements as the owner of the database, over the Unix socket. */
  async sql(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const sql = postgres({
      host: this.socket,
      port: this.port,
      path: join(this.socket, `.s.PGSQL.${this.port}`),
      database: DATABASE,
      username: USER,
      max: 1,
      connect_timeout: 2,
      onnotice: () => undefined,
    });
    try {
      return [...(await sql.unsafe(text))] as Readonly<Record<string, unknown>>[];
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** Sets a value for all sessions, at once. */
  async set(name: string, value: string): Promise<void> {
    await this.sql(`alter system set ${name} = '${value}'`);
    await this.sql('select pg_reload_conf()');
    for (let tries = 0; tries < 100; tries += 1) {
      const [row] = await this.sql(`show ${name}`);
      if (row?.[name] === value) return;
      await sleep(20);
    }
    throw new Error(`${name} was not taken up`);
  }

  /**
   * Makes commits wait for the standby of this name, and waits until it confirms them. A standby that has a standby itself
   * begins to wait for it once it is promoted.
   */
  async confirmedBy(name: string): Promise<void> {
    await this.set('synchronous_standby_names', name);
    for (let tries = 0; tries < 500; tries += 1) {
      const [row] = await this.sql(
        `select sync_state = 'sync' or pg_is_in_recovery() as confirms from pg_stat_replication
         where application_name = '${name}' and state = 'streaming'`,
      );
      if (row?.['confirms'] === true) return;
      await sleep(50);
    }
    throw new Error(`the standby ${name} confirms nothing`);
  }

  /** Cuts a standby off from its primary. It stays a standby. */
  async cut(): Promise<void> {
    await this.set('primary_conninfo', '');
    for (let tries = 0; tries < 300; tries += 1) {
      if ((await this.sql('select pid from pg_stat_wal_receiver')).length === 0) return;
      await sleep(50);
    }
    throw new Error('the standby is not cut off');
  }

  /** Makes a primary of a standby. */
  async promote(): Promise<void> {
    await this.sql('select pg_promote(true, 30)');
  }

  /** The process that receives the log of the primary. */
  async receiver(): Promise<number> {
    const [row] = await this.sql('select pid from pg_stat_wal_receiver');
    return Number(row?.['pid']);
  }

  /** Kills the server as a power failure does: all of its processes at once. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const own = childrenOf(child.pid);
    child.kill('SIGKILL');
    for (const pid of own) signal(pid, 'SIGKILL');
    await once(child, 'exit');
  }

  /** Stops the server and removes what it wrote. */
  async close(): Promise<void> {
    const child = this.#process;
    if (child?.pid !== undefined) {
      for (const pid of childrenOf(child.pid)) signal(pid, 'SIGCONT');
      child.kill('SIGCONT');
    }
    await this.kill();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }

  #run(program: string, parameters: readonly string[]): void {
    mkdirSync(this.data, { mode: 0o700, recursive: true });
    this.#own(this.data);
    const ran = spawnSync(join(this.#programs.bin, program), parameters, {
      ...this.#programs.account,
      cwd: this.#root,
      encoding: 'utf8',
    });
    if (ran.status !== 0) throw new Error(`${program}: ${ran.stderr}`);
  }

  #own(path: string): void {
    const { uid, gid = 0 } = this.#programs.account;
    if (uid !== undefined) chownSync(path, uid, gid);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself.
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
