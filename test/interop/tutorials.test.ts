// The tutorials of docs/tutorials, followed as a reader follows them: from packed tarballs, in an empty folder, beside a running demo.
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pack } from '../release/pack.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { type Desk, follow } from '../tutorial/follow.ts';
import { Service } from '../tutorial/session.ts';

const PAGES = join(ROOT, 'docs', 'tutorials');

/** The ports that the pages name; the chain takes the port behind its own too. */
const DEMO = 8787;
const CHAIN = 8899;
const NAMED = [DEMO, CHAIN, ...Array.from({ length: 10 }, (_, i) => 8800 + i)];

/** Whether nothing listens on a port of this machine. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const taken = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  const free = await taken;
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}

/** Free ports of four digits, so that lines are as long as those of the pages, below those that the system gives away. */
async function freePorts(): Promise<ReadonlyMap<string, string>> {
  const ports = new Map<string, string>();
  for (let port = 2000 + Math.floor(Math.random() * 5000); ports.size < NAMED.length; port += 2) {
    if ((await isFree(port)) && (await isFree(port + 1)))
      ports.set(String(NAMED[ports.size]), String(port));
  }
  return ports;
}

/** What a reader's shell has: a home of its own, and npm as it is set up here. */
function shell(home: string): Readonly<Record<string, string>> {
  const { PATH = '' } = process.env;
  return {
    PATH: `${join(home, 'node_modules', '.bin')}:${PATH}`,
    HOME: join(home, 'home'),
    LANG: 'C.UTF-8',
    npm_config_cache: join(homedir(), '.npm'),
    npm_config_userconfig: join(homedir(), '.npmrc'),
    npm_config_prefer_offline: 'true',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
  };
}

/** Starts the demo as the index says, from this checkout, and resolves when it serves. */
async function startDemo(t: TestContext, ports: ReadonlyMap<string, string>): Promise<void> {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    ASSAY_PORT: ports.get(String(DEMO)) as string,
    ASSAY_CHAIN_PORT: ports.get(String(CHAIN)) as string,
  };
  const demo = new Service('exec node cli/bin/assay.js demo', ROOT, environment);
  t.after(() => demo.stop());
  if (!(await demo.prints(['…', 'Assay serves the development network at …'], (x) => x, 240_000)))
    throw new Error(`the demo did not start: ${demo.output}`);
}

test('tutorials', { timeout: 900_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-tutorials-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  await mkdir(join(folder, 'home'));
  const desk: Desk = { folder, environment: shell(folder), ports: await freePorts() };
  const page = async (name: string): Promise<void> =>
    follow(`docs/tutorials/${name}`, await readFile(join(PAGES, name), 'utf8'), desk);
  await Promise.all([pack(folder).then(() => page('README.md')), startDemo(t, desk.ports)]);
  const names = (await readdir(PAGES)).filter((name) => name !== 'README.md').sort();
  await t.test('pages', { concurrency: 3 }, async (all) => {
    // The recounter goes on where the publisher ended, and no other page needs another one.
    const publisher = all.test('publisher.md', () => page('publisher.md'));
    const others = names.filter((name) => !['publisher.md', 'recounter.md'].includes(name));
    const after = publisher.then(() => all.test('recounter.md', () => page('recounter.md')));
    await Promise.all([after, ...others.map((name) => all.test(name, () => page(name)))]);
  });
});
