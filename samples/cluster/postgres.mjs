// A primary of PostgreSQL and a standby that confirms its commits, for run.mjs.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSIONS = '/usr/lib/postgresql';
const USER = 'assay';
const DATABASE = 'postgres';
/** The name under which the standby confirms commits. */
const STANDBY = 'db2';

/** Where the programs of PostgreSQL are, and whom they run as; or words for why there are none. */
export function findPostgres() {
  let bin = process.env.ASSAY_POSTGRES_BIN;
  if (bin === undefined) {
    try {
      const [newest] = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a));
      bin = join(VERSIONS, newest, 'bin');
    } catch {
      return { missing: 'PostgreSQL is not installed (Debian: postgresql; else ASSAY_POSTGRES_BIN)' };
    }
  }
  if (spawnSync(join(bin, 'initdb'), ['--version']).status !== 0) {
    return { missing: `there is no initdb in ${bin}` };
  }
  // PostgreSQL refuses to run as root.
  if (process.getuid() !== 0) return { bin, account: {} };
  const found = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (found === null) return { missing: 'there is no user postgres to run PostgreSQL as' };
  return { bin, account: { uid: Number(found[1]), gid: Number(found[2]) } };
}

/**
 * Starts both with `start(name, options)` of run.mjs, in `folder`, and has the primary wait for the standby. Returns what
 * `head_guard` in the config of a node needs, and the password of it.
 */
export async function startPair({ bin, account }, folder, ports, start) {
  mkdirSync(folder, { recursive: true });
  own(folder, account);
  const password = randomBytes(16).toString('hex');
  const [first, second] = ports;
  const file = join(folder, 'password');
  writeFileSync(file, password, { mode: 0o600 });
  own(file, account);
  const run = (program, parameters) => {
    const ran = spawnSync(join(bin, program), parameters, {
      ...account,
      cwd: folder,
      encoding: 'utf8',
    });
    if (ran.status !== 0) throw new Error(`${program}: ${ran.stderr}${ran.error ?? ''}`);
    return ran.stdout;
  };
  const database = (name, port) =>
    start(name, `postgres://127.0.0.1:${port}/${DATABASE}`, {
      program: join(bin, 'postgres'),
      parameters: [
        '-D',
        join(folder, name),
        '-p',
        `${port}`,
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        `unix_socket_directories=${folder}`,
        '-c',
        'shared_buffers=16MB',
        '-c',
        'max_connections=40',
      ],
      account,
      // Others are cut off and not waited for.
      end: 'SIGINT',
      answers: () => spawnSync(join(bin, 'pg_isready'), ['-h', folder, '-p', `${port}`]).status === 0,
    });
  const made = ['-U', USER, '--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${file}`];
  run('initdb', ['-D', join(folder, 'db1'), ...made, '-E', 'UTF8', '--no-locale']);
  await database('db1', first);
  const from = `host=${folder} port=${first} user=${USER} application_name=${STANDBY}`;
  run('pg_basebackup', ['-d', from, '-D', join(folder, 'db2'), '-R', '-c', 'fast', '-X', 'stream']);
  await database('db2', second);
  const psql = (text) => run('psql', ['-h', folder, '-p', `${first}`, '-U', USER, '-d', DATABASE, '-Atqc', text]);
  psql(`alter system set synchronous_standby_names = '${STANDBY}'`);
  psql('select pg_reload_conf()');
  const guard = {
    kind: 'postgres',
    addresses: ports.map((port) => `127.0.0.1:${port}`),
    database: DATABASE,
    user: USER,
    password_file: '../guard-password',
    tls: 'off',
  };
  return { guard, password };
}

function own(path, { uid, gid }) {
  chmodSync(path, 0o700);
  if (uid !== undefined) chownSync(path, uid, gid);
}
