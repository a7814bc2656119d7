import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { startDevelopmentChain } from '@assay/chain/development/server';
import { ROOT } from '../core/fixture/fixture.ts';
import { DAY, needsSvm, NOW, PERIOD, PROGRAM, worldOf } from './fixture/world.ts';

const README = readFileSync(join(ROOT, 'chain/README.md'), 'utf8');
const SCRIPT = /```ts\n([\s\S]*?)```/.exec(README)?.[1] ?? '';

/** A folder from which the packages of the workspace are found. */
function folder(t: TestContext): string {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(join(cache, 'readme-'));
  t.after(() => rmSync(made, { recursive: true }));
  return made;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(file: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], (error, out, err) => {
      resolve({ code: error === null ? 0 : 1, out, err });
    });
  });
}

test('chain readme: a venue’s script has less than 15 lines, and is sound TypeScript', (t) => {
  assert.ok(SCRIPT.trim().split('\n').length < 15);
  const into = folder(t);
  writeFileSync(join(into, 'final.mts'), SCRIPT);
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', 'node'];
  const target = ['--module', 'nodenext', '--target', 'es2023', 'final.mts'];
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const done = spawnSync(process.execPath, [tsc, ...options, ...target], {
    cwd: into,
    encoding: 'utf8',
  });
  assert.equal(done.stdout, '');
});

test('chain readme: the script reads a final as it is shown there', needsSvm, async (t) => {
  const world = await worldOf();
  const period = PERIOD + 7;
  world.now = NOW + 6n * DAY;
  const publish = (status: 'provisional' | 'final'): Promise<{ error: string | null }> =>
    world.publish(world.print({ status, period, publishedAt: world.now, value: 229_000n }));
  const accountsOf = async (): Promise<Parameters<typeof chain.ledger.setAccount>[0][]> =>
    [world.feed, await world.pageOf(period)].map((address) => {
      const { lamports, data } = world.account(address) ?? assert.fail('an account');
      return { address, owner: PROGRAM, lamports, data: Uint8Array.from(data) };
    });
  const chain = await startDevelopmentChain({ port: 0, now: () => Number(world.now) });
  const site = createServer((request, response) => {
    const answers: Readonly<Record<string, object>> = {
      '/.well-known/assay-signer.json': {
        program: PROGRAM,
        report_key: { algorithm: 'Ed25519', public_key: world.publisher.key },
      },
      '/v1/indices/LAYOFFS/rule': { hash: world.parameters.rule },
    };
    response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  t.after(async () => {
    site.close();
    await chain.close();
  });
  const file = join(folder(t), 'final.mjs');
  writeFileSync(file, SCRIPT);
  const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const keys = world.cosigners.map(({ key }) => key);
  const read = async (...own: readonly string[]): Promise<Ran> => {
    for (const account of await accountsOf()) chain.ledger.setAccount(account);
    return run(file, [base, chain.rpc, '2026-08-01', ...own]);
  };
  const words = 'print at status: expected final, found provisional';
  assert.ok(README.replaceAll('\n', ' ').includes(words));
  assert.equal((await publish('provisional')).error, null);
  const early = await read(...keys);
  assert.deepEqual([early.code, early.err.includes(words)], [1, true]);
  assert.equal((await publish('final')).error, null);
  const final = await read(...keys);
  assert.deepEqual([final.code, final.err], [0, '']);
  assert.match(final.out, /^229000n \[/);
  for (const key of keys) assert.ok(final.out.includes(key));
  const others = await read(world.payer.key, world.next.key);
  assert.match(others.err, /print at cosigners: expected 2 of the caller's list, found 0/);
});

test('chain readme: links lead somewhere, here and in the example', () => {
  for (const page of ['chain/README.md', 'samples/settlement-program/README.md']) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      assert.ok(existsSync(join(ROOT, dirname(page), target)), `${page} links to ${target}`);
    }
  }
});
