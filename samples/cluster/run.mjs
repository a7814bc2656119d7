// Runs a whole service as processes of one machine, on loopback and on ports that are free:
//
//     node samples/cluster/run.mjs [FOLDER]
//
// A publisher, a standby of it, a pair of databases with their head guard, an S3 store with a copy of the log, two readers,
// nginx in front of them, and two recounters, which read a small web server of this script. README.md says what to try.
// Ctrl-C stops all of it; without FOLDER, what was written is removed then.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findPostgres, startPair } from './postgres.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ASSAY = join(ROOT, 'cli', 'bin', 'assay.js');
const CONTACT = 'cluster@example.org';
const BUCKET = 'assay';
/** Milliseconds in which a process has to answer, and in which it has to end before it is killed. */
const START_MS = 180_000;
const END_MS = 15_000;

/** One request at a time: with threads, moto lets two writers win that each create the same object, and is refused. */
const MOTO = `
import sys
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
app = DomainDispatcherApplication(create_backend_app)
run_simple('127.0.0.1', int(sys.argv[1]), app, threaded=False)
`;

const given = process.argv[2];
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'assay-cluster-')) : resolve(given);
/** Where the databases are: another user may run them, who cannot look into `folder`. */
const databases = mkdtempSync(join(tmpdir(), 'assay-databases-'));
/** What runs, in the order in which it was started. */
const parts = [];
const web = createHttpServer((_request, response) => {
  response.end(readFileSync(join(folder, 'rain.csv')));
});
let stopping = false;

/** Ports that nobody has now. Another program may take one before it is used; the part that wanted it then says so. */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

function assay(...parameters) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ASSAY, ...parameters], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`assay ${parameters.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

function write(name, value) {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  return path;
}

function change(name, fields) {
  const path = join(folder, name);
  write(name, { ...JSON.parse(readFileSync(path, 'utf8')), ...fields });
  return path;
}

/**
 * Starts a process, and waits until `address` answers, or until `answers` says so. `end` is the signal that ends it. What it
 * says goes to NAME.log in the folder.
 */
async function start(name, address, { program, parameters, variables, account, end, answers }) {
  if (stopping) throw new Error('stopped');
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(program, parameters, {
    ...account,
    cwd: account === undefined ? folder : databases,
    env: { ...process.env, ...variables },
    stdio: ['ignore', log, log],
  });
  const part = { name, child, address, answers, end: end ?? 'SIGTERM', ended: undefined };
  parts.push(part);
  child.once('error', (error) => (part.ended = error.message));
  child.once('exit', (code, signal) => (part.ended ??= `ended: ${signal ?? code}`));
  for (const last = Date.now() + START_MS; ;) {
    if (part.ended !== undefined || Date.now() > last) {
      const said = readFileSync(join(folder, `${name}.log`), 'utf8').slice(-2000);
      throw new Error(`${name} does not answer (${part.ended ?? 'it runs'}): ${said}`);
    }
    if ((await stateOf(part)) !== 'no answer') break;
    await sleep(200);
  }
  console.log(await lineOf(part));
}

async function stateOf({ address, answers, ended }) {
  if (ended !== undefined) return ended;
  if (answers !== undefined) return answers() ? 'answers' : 'no answer';
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.status < 500 ? 'answers' : `status ${response.status}`;
  } catch {
    return 'no answer';
  }
}

async function lineOf(part) {
  const { name, child, address } = part;
  return `${name.padEnd(11)} pid ${String(child.pid).padEnd(8)} ${address}  ${await stateOf(part)}`;
}

async function stop() {
  if (stopping) return;
  stopping = true;
  for (const { child, end, ended } of [...parts].reverse()) {
    if (ended !== undefined || child.pid === undefined) continue;
    const gone = once(child, 'exit');
    child.kill(end);
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await gone;
    clearTimeout(timer);
  }
  web.close();
  if (given !== undefined) return;
  for (const each of [folder, databases]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
}

/** How an S3 store is started here, or undefined if none is installed. */
function objectStore(port) {
  const python = process.env.ASSAY_MOTO_PYTHON ?? 'python3';
  if (spawnSync(python, ['-c', 'import moto.server']).status !== 0) return undefined;
  return { program: python, parameters: ['-c', MOTO, String(port)] };
}

/**
 * The config of a second machine, whose data folder has the keys of the first. Once it is the writer it listens for the readers
 * where the first one did, so that they find it.
 */
function standbyConfig(config, fields) {
  const folderOfStandby = join(folder, 'standby');
  mkdirSync(folderOfStandby, { mode: 0o700 });
  cpSync(join(folder, 'publisher', 'keys'), join(folderOfStandby, 'keys'), { recursive: true });
  return write('standby/assay.json', { ...JSON.parse(readFileSync(config, 'utf8')), ...fields });
}

function pidOf(name) {
  return parts.find((part) => part.name === name).child.pid;
}

/** The sample of docs/proxy.md in front of two readers. */
function nginxConfig(port, readers) {
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

/** Makes two recounters, each of which the publisher waits for, and returns what starts them. */
function makeRecounters(ports, front, vkey, source) {
  const cosigners = [];
  const recounters = Object.entries(ports).map(([name, port]) => {
    const of = ['--publisher', front, '--checkpoint-vkey', vkey, '--contact', CONTACT];
    const said = assay('recount', 'init', name, ...of, '--origin', `development/${name}`, '--name', name);
    cosigners.push(JSON.parse(said.match(/^\s*(\{"name".*\})$/m)[1]));
    const fields = { port, poll_s: 5, metrics: false, source_hosts: [source] };
    return { name, port, config: change(`${name}/recount.json`, fields) };
  });
  write('cosigners.json', { threshold: 2, cosigners });
  return recounters;
}

/** Starts the store with an empty bucket, and returns its address; undefined if there is none here. */
async function startStore(port) {
  const s3 = objectStore(port);
  if (s3 === undefined) {
    console.log(
      'objects     not started: this Python has no moto (pip install "moto[s3,server]", ASSAY_MOTO_PYTHON)',
    );
    return undefined;
  }
  const endpoint = `http://127.0.0.1:${port}`;
  await start('objects', endpoint, s3);
  const made = await fetch(`${endpoint}/${BUCKET}`, { method: 'PUT' });
  if (!made.ok) throw new Error(`the S3 store makes no bucket: status ${made.status}`);
  return endpoint;
}

/** Starts the pair of databases, and returns `head_guard` of a config; undefined if there is none here. */
async function startDatabases(ports) {
  const postgres = findPostgres();
  if (postgres.missing !== undefined) {
    console.log(`db1, db2    not started: ${postgres.missing}`);
    console.log('standby     not started: a head guard in a file has no second copy');
    return undefined;
  }
  const { guard, password } = await startPair(postgres, databases, ports, start);
  writeFileSync(join(folder, 'guard-password'), password, { mode: 0o600 });
  return guard;
}

async function run() {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ports = await freePorts(14);
  const [webPort, publisher, forReaders, metrics, store, first, second, proxy] = ports;
  const [recountA, recountB, standby, standbyMetrics, db1, db2] = ports.slice(8);
  const front = `http://127.0.0.1:${proxy}`;

  // A number that is released in two minutes, for as many days as there are rows.
  const days = [3, 2, 1].map((ago) => new Date(Date.now() - ago * 864e5).toISOString().slice(0, 10));
  write('rain.csv', `day,mm\n${days.map((day, i) => `${day},${i}.5\n`).join('')}`);
  web.listen(webPort, '127.0.0.1');
  await once(web, 'listening');
  const source = `http://127.0.0.1:${webPort}`;
  console.log(`${'source'.padEnd(11)} pid ${String(process.pid).padEnd(8)} ${source}/rain.csv  answers`);
  const release = new Date(Date.now() + 120_000).toISOString().slice(11, 16);
  const csv = ['--csv', `${source}/rain.csv`, '--day', 'day', '--value', 'mm', '--decimals', '1'];
  assay('rules', 'new', '--ticker', 'RAIN', ...csv, '--release', release, '-o', 'rain.json');

  const origin = 'development/cluster';
  assay('init', '--origin', origin, '--data', 'publisher', '--contact', CONTACT, '--yes');
  const vkey = assay('keys', 'show', 'publisher').match(/development\/cluster\+\S+/)[0];
  const recounters = makeRecounters({ 'recount-a': recountA, 'recount-b': recountB }, front, vkey, source);

  const credentials = { AWS_ACCESS_KEY_ID: 'cluster', AWS_SECRET_ACCESS_KEY: 'cluster-secret' };
  const endpoint = await startStore(store);
  const guard = await startDatabases([db1, db2]);
  const config = change('publisher/assay.json', {
    port: publisher,
    readers_port: forReaders,
    metrics_port: metrics,
    poll_s: 5,
    rules: ['../rain.json'],
    cosigners: '../cosigners.json',
    ...(endpoint === undefined ? {} : { objects: { endpoint, bucket: BUCKET, every_s: 5 } }),
    ...(guard === undefined ? {} : { head_guard: guard }),
  });
  const variables = {
    ASSAY_READERS_TOKEN: randomBytes(24).toString('hex'),
    ...credentials,
  };
  const program = process.execPath;
  const at = (port) => `http://127.0.0.1:${port}/healthz`;
  const node = [ASSAY, 'node', '--config', config];
  await start('publisher', at(publisher), { program, parameters: node, variables });
  if (guard !== undefined) {
    const follows = standbyConfig(config, {
      port: standby,
      metrics_port: standbyMetrics,
      standby: {
        name: 'standby',
        publisher: `http://127.0.0.1:${publisher}`,
        checkpoint_vkey: vkey,
      },
    });
    const parameters = [ASSAY, 'node', '--standby', '--config', follows];
    await start('standby', at(standby), { program, parameters, variables });
  }
  for (const [i, port] of [first, second].entries()) {
    const name = `reader-${i + 1}`;
    const of = [`http://127.0.0.1:${forReaders}`, '--data', name, '--key', vkey, '--port', `${port}`];
    const parameters = [ASSAY, 'serve', ...of, '--trusted-proxies', '127.0.0.1'];
    await start(name, at(port), { program, parameters, variables });
  }
  const nginx = ['-p', folder, '-c', write('nginx.conf', nginxConfig(proxy, [first, second]))];
  await start('nginx', `${front}/healthz`, { program: 'nginx', parameters: nginx });
  for (const { name, port, config: own } of recounters) {
    await start(name, at(port), { program, parameters: [ASSAY, 'recount', 'run', own] });
  }
  const key = `--key '${vkey}'`;
  console.log(`
ready in ${folder}, with a file NAME.log of each process
  assay verify ${front} ${key} --no-pin
  assay watch ${front} http://127.0.0.1:${recountA} ${key} --no-pin
  curl ${front}/v1/status
  curl http://127.0.0.1:${metrics}/metrics
  kill -STOP PID; kill -CONT PID; kill -9 PID     of any process above
${guard === undefined ? '' : `  kill -9 ${pidOf('publisher')}; assay promote --config ${folder}/standby/assay.json --fenced 'I have killed it'\n`}  kill -HUP ${process.pid}                                a line for each process
RAIN is released at ${release} UTC: curl ${front}/v1/indices/RAIN/settlement.csv`);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stop());
// Whoever read the lines is gone: without this the script would end and leave the others running.
process.stdout.on('error', () => void stop());
async function printLines() {
  for (const part of parts) console.log(await lineOf(part));
}
process.on('SIGHUP', () => void printLines());
try {
  await run();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
  await stop();
}
