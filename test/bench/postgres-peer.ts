import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Contestant, rateFor } from './contest.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

interface Client {
  connect(): Promise<void>;
  query(query: string | { name: string; text: string; values: readonly unknown[] }): Promise<{
    readonly rowCount: number | null;
  }>;
  end(): Promise<void>;
}

type MakeClient = new (options: { host: string; user: string; database: string }) => Client;

/** A private cluster. */
export interface PostgresPeer {
  readonly name: string;
  /** A log in a table of its own. */
  readonly log: (
    way: PostgresWay,
    takeValues: () => readonly Uint8Array[],
    batch: number,
  ) => Promise<Contestant>;
  readonly close: () => Promise<void>;
}

const PACKAGE: string = 'pg'; // brings no typings
const VERSIONS = '/usr/lib/postgresql';
const USER = 'assay';
export const POSTGRES = 'PostgreSQL';

/**
 * How a batch is appended if the head is where its writer left it: as BEGIN, UPDATE, INSERT and COMMIT,
 * or all in one prepared statement, the fewest round trips that there can be.
 */
export type PostgresWay = 'transaction' | 'statement';

/** Who runs the server: this user, or as root, whom the server refuses, the system's `postgres`. */
interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts a cluster in a folder of its own, on a local socket. Words for why not, where it cannot. */
export async function postgresPeer(): Promise<PostgresPeer | string> {
  const [version] = (await readdir(VERSIONS).catch(() => [])).sort((a, b) => Number(b) - Number(a));
  if (version === undefined) return 'not installed';
  let make: MakeClient;
  try {
    const { default: pg } = (await import(PACKAGE)) as { default: { Client: MakeClient } };
    make = pg.Client;
  } catch {
    return 'its client is not installed';
  }
  const account = await serverAccount();
  if (account === undefined) return 'no user to run it as';
  const folder = await temporaryFolder('postgres');
  try {
    if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? 0);
    const server = await startServer(join(VERSIONS, version, 'bin'), folder, account);
    const connect = async (): Promise<Client> => {
      const client = new make({ host: folder, user: USER, database: 'postgres' });
      await client.connect();
      return client;
    };
    await waitFor(connect, server);
    return {
      name: `PostgreSQL ${version}`,
      log: (way, takeValues, batch) => openLog(connect, way, takeValues, batch),
      async close() {
        server.kill('SIGINT'); // the fast shutdown
        await once(server, 'exit');
        await removeFolder(folder);
      },
    };
  } catch (error) {
    await removeFolder(folder);
    return error instanceof Error ? error.message : String(error);
  }
}

async function serverAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return {};
  const users = await readFile('/etc/passwd', 'utf8');
  const match = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users);
  return match === null ? undefined : { uid: Number(match[1]), gid: Number(match[2]) };
}

async function startServer(bin: string, folder: string, account: Account): Promise<ChildProcess> {
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  if (account.uid !== undefined) await chown(data, account.uid, account.gid ?? 0);
  const options = { ...account, cwd: folder };
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-locale'],
    { ...options, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr.trim()}`);
  const settings = {
    unix_socket_directories: folder,
    listen_addresses: '',
    fsync: 'on',
    synchronous_commit: 'on',
    wal_sync_method: 'fdatasync',
    // Room enough that no checkpoint falls into a turn.
    shared_buffers: '256MB',
    max_wal_size: '8GB',
    checkpoint_timeout: '1h',
    autovacuum: 'off',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawn(join(bin, 'postgres'), ['-D', data, ...flags], { ...options, stdio: 'ignore' });
}

async function waitFor(connect: () => Promise<Client>, server: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await (await connect()).end();
      return;
    } catch (error) {
      if (tries === 100 || server.exitCode !== null) throw error;
      await sleep(50);
    }
  }
}

/** Takes `values` in behind the first `size` entries, if there are just so many. */
type Append = (client: Client, size: number, values: readonly Uint8Array[]) => Promise<void>;

const INSERT = `
  INSERT INTO entries
  SELECT $1::bigint + n - 1, bytes FROM unnest($2::bytea[]) WITH ORDINALITY AS new (bytes, n)`;

const STATEMENT = `
  WITH moved AS (UPDATE head SET size = $1::bigint + $2 WHERE size = $1 RETURNING size)
  INSERT INTO entries
  SELECT $1 + n - 1, bytes FROM moved, unnest($3::bytea[]) WITH ORDINALITY AS new (bytes, n)`;

const APPENDS: Readonly<Record<PostgresWay, Append>> = {
  async transaction(client, size, values) {
    await client.query('BEGIN');
    const next = [size, size + values.length];
    const move = 'UPDATE head SET size = $2 WHERE size = $1';
    const { rowCount } = await client.query({ name: 'move', text: move, values: next });
    if (rowCount !== 1) throw new Error('PostgreSQL: the head has moved');
    await client.query({ name: 'insert', text: INSERT, values: [size, values] });
    await client.query('COMMIT');
  },
  async statement(client, size, values) {
    const parameters = [size, values.length, values];
    const query = { name: 'append', text: STATEMENT, values: parameters };
    const { rowCount } = await client.query(query);
    if (rowCount !== values.length) throw new Error('PostgreSQL: the head has moved');
  },
};

async function openLog(
  connect: () => Promise<Client>,
  way: PostgresWay,
  takeValues: () => readonly Uint8Array[],
  batch: number,
): Promise<Contestant> {
  const client = await connect();
  logs += 1;
  await client.query(`CREATE SCHEMA log_${logs}`);
  await client.query(`SET search_path TO log_${logs}`);
  await client.query('CREATE TABLE entries (seq bigint PRIMARY KEY, bytes bytea NOT NULL)');
  await client.query('CREATE TABLE head (size bigint NOT NULL)');
  await client.query('INSERT INTO head VALUES (0)');
  let size = 0;
  return {
    name: way,
    run: (ms) =>
      rateFor(ms, batch, async () => {
        const values = takeValues();
        await APPENDS[way](client, size, values);
        size += values.length;
      }),
    close: () => client.end(),
  };
}

let logs = 0;
