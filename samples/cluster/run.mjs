// Runs a whole service as processes of one machine, on loopback and on ports that are free:
//
//     node samples/cluster/run.mjs [FOLDER]
//
// A publisher, an S3 store with a copy of its log, two readers, nginx in front of them, and two recounters, which read a
// small web server of this script. README.md says what to try. Ctrl-C stops all of it; without FOLDER, what was written is
// removed then.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

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

/** Starts a process, and waits until `address` answers. What it says goes to NAME.log in the folder. */
async function start(name, address, program, parameters, variables = {}) {
  if (stopping) throw new Error('stopped');
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(program, parameters, {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdio: ['ignore', log, log],
  });
  const part = { name, child, address, ended: undefined };
  parts.push(part);
  child.once('error', (error) => (part.ended = error.message));
  child.once('exit', (code, signal) => (part.ended ??= `ended: ${signal ?? code}`));
  for (const end = Date.now() + START_MS; ;) {
    if (part.ended !== undefined || Date.now() > end) {
      const said = readFileSync(join(folder, `${name}.log`), 'utf8').slice(-2000);
      throw new Error(`${name} does not answer (${part.ended ?? 'it runs'}): ${said}`);
    }
    if ((await stateOf(part)) !== 'no answer') break;
    await sleep(200);
  }
  console.log(await lineOf(part));
}

async function stateOf({ address, ended }) {
  if (ended !== undefined) return ended;
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
  for (const { child, ended } of [...parts].reverse()) {
    if (ended !== undefined || child.pid === undefined) continue;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await gone;
    clearTimeout(timer);
  }
  web.close();
  if (given === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** How an S3 store is started here, or undefined if none is installed. */
function objectStore(port) {
  const python = process.env.ASSAY_MOTO_PYTHON ?? 'python3';
  if (spawnSync(python, ['-c', 'import moto.server']).status !== 0) return undefined;
  return [python, ['-c', MOTO, String(port)]];
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

async function run() {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ports = await freePorts(9);
  const [webPort, publisher, forReaders, metrics, store, first, second, proxy, recountA] = ports;
  const [recountB] = await freePorts(1);
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
  const cosigners = [];
  const recounters = [];
  for (const [name, port] of [
    ['recount-a', recountA],
    ['recount-b', recountB],
  ]) {
    const of = ['--publisher', front, '--checkpoint-vkey', vkey, '--contact', CONTACT];
    const said = assay('recount', 'init', name, ...of, '--origin', `development/${name}`, '--name', name);
    cosigners.push(JSON.parse(said.match(/^\s*(\{"name".*\})$/m)[1]));
    const config = change(`${name}/recount.json`, {
      port,
      poll_s: 5,
      metrics: false,
      source_hosts: [source],
    });
    recounters.push({ name, port, config });
  }
  write('cosigners.json', { threshold: 2, cosigners });

  const s3 = objectStore(store);
  const credentials = { AWS_ACCESS_KEY_ID: 'cluster', AWS_SECRET_ACCESS_KEY: 'cluster-secret' };
  const endpoint = `http://127.0.0.1:${store}`;
  if (s3 === undefined) {
    console.log(
      'objects     not started: this Python has no moto (pip install "moto[s3,server]", ASSAY_MOTO_PYTHON)',
    );
  } else {
    await start('objects', endpoint, ...s3);
    const made = await fetch(`${endpoint}/${BUCKET}`, { method: 'PUT' });
    if (!made.ok) throw new Error(`the S3 store makes no bucket: status ${made.status}`);
  }
  const config = change('publisher/assay.json', {
    port: publisher,
    readers_port: forReaders,
    metrics_port: metrics,
    poll_s: 5,
    rules: ['../rain.json'],
    cosigners: '../cosigners.json',
    ...(s3 === undefined ? {} : { objects: { endpoint, bucket: BUCKET, every_s: 5 } }),
  });
  const token = { ASSAY_READERS_TOKEN: randomBytes(24).toString('hex') };
  const at = `http://127.0.0.1:${publisher}/healthz`;
  const node = [ASSAY, 'node', '--config', config];
  await start('publisher', at, process.execPath, node, { ...token, ...credentials });
  for (const [i, port] of [first, second].entries()) {
    const name = `reader-${i + 1}`;
    const of = [`http://127.0.0.1:${forReaders}`, '--data', name, '--key', vkey, '--port', `${port}`];
    const serve = [ASSAY, 'serve', ...of, '--trusted-proxies', '127.0.0.1'];
    await start(name, `http://127.0.0.1:${port}/healthz`, process.execPath, serve, token);
  }
  const nginx = ['-p', folder, '-c', write('nginx.conf', nginxConfig(proxy, [first, second]))];
  await start('nginx', `${front}/healthz`, 'nginx', nginx);
  for (const { name, port, config: own } of recounters) {
    const recount = [ASSAY, 'recount', 'run', own];
    await start(name, `http://127.0.0.1:${port}/healthz`, process.execPath, recount);
  }
  const key = `--key '${vkey}'`;
  console.log(`
ready in ${folder}, with a file NAME.log of each process
  assay verify ${front} ${key} --no-pin
  assay watch ${front} http://127.0.0.1:${recountA} ${key} --no-pin
  curl ${front}/v1/status
  curl http://127.0.0.1:${metrics}/metrics
  kill -STOP PID; kill -CONT PID; kill -9 PID     of any process above
  kill -HUP ${process.pid}                                a line for each process
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
