// The sample that runs a whole service, as its README says.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { noPostgres } from './postgres-cluster.ts';
import { motoPython } from './s3-peers.ts';

interface Part {
  readonly pid: number;
  readonly address: string;
}

/** What the script has said of its processes, by name. */
function partsIn(said: string): ReadonlyMap<string, Part> {
  const lines = said.matchAll(/^(\S+) +pid (\d+) +((?:http|postgres):\S+) {2}answers$/gm);
  return new Map(
    [...lines].map(([, name = '', pid, address = '']) => [name, { pid: Number(pid), address }]),
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function startCluster(
  t: TestContext,
  python: string | undefined,
): Promise<{
  readonly child: ChildProcess;
  readonly said: () => string;
}> {
  const child = spawn(process.execPath, [join(ROOT, 'samples', 'cluster', 'run.mjs')], {
    env: { ...process.env, ...(python === undefined ? {} : { ASSAY_MOTO_PYTHON: python }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  }
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  for (let i = 0; i < 3000; i += 1) {
    if (said.includes('\nready in ')) return { child, said: () => said };
    if (child.exitCode !== null) break;
    await sleep(200);
  }
  return assert.fail(`it is not ready: ${said}`);
}

/** Runs a command of Assay, which has to succeed, and returns what it says. */
function assay(...parameters: readonly string[]): string {
  const cli = join(ROOT, 'cli', 'bin', 'assay.js');
  const ran = spawnSync(process.execPath, [cli, ...parameters], { encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  return ran.stdout;
}

test('cluster: the log is verified through nginx, readers follow a promotion, and all of it ends', async (t) => {
  if (spawnSync('nginx', ['-v']).status !== 0) {
    t.skip('nginx is not installed');
    return;
  }
  const moto = await motoPython();
  if ('missing' in moto) t.diagnostic(`without a bucket: ${moto.missing}`);
  const { child, said } = await startCluster(t, 'python' in moto ? moto.python : undefined);
  const parts = partsIn(said());
  const names = ['source', 'publisher', 'reader-1', 'reader-2', 'nginx', 'recount-a', 'recount-b'];
  if ('python' in moto) names.push('objects');
  const noPair = noPostgres();
  if (noPair === undefined) names.push('db1', 'db2', 'standby');
  else t.diagnostic(`without a standby: ${noPair}`);
  assert.deepEqual([...parts.keys()].sort(), names.sort());

  const [, key = ''] = /--key '(\S+)'/.exec(said()) ?? [];
  const baseOf = (name: string): string => new URL(parts.get(name)?.address ?? '').origin;
  const verify = (): string => assay('verify', baseOf('nginx'), '--key', key, '--no-pin');
  assert.match(verify(), /VERIFIED/);

  const headOf = async (name: string): Promise<string> => {
    const response = await fetch(`${baseOf(name)}/checkpoint`);
    assert.equal(response.status, 200);
    return (await response.text()).split('\n').slice(0, 3).join(' ');
  };
  const sameHeads = async (writer: string): Promise<void> => {
    let heads: readonly string[] = [];
    for (let i = 0; i < 300; i += 1) {
      heads = await Promise.all([writer, 'reader-1', 'reader-2', 'nginx'].map(headOf));
      if (new Set(heads).size === 1) return;
      await sleep(200);
    }
    assert.fail(heads.join('\n'));
  };
  await sameHeads('publisher');

  if (noPair === undefined) {
    const [, config = ''] = /promote --config (\S+)/.exec(said()) ?? [];
    process.kill(parts.get('publisher')?.pid ?? 0, 'SIGKILL');
    assert.match(assay('promote', '--config', config, '--fenced', 'killed'), /is this folder's/);
    // Nobody is the publisher until the process of the standby has opened the folder as that.
    for (let i = 0; ; i += 1) {
      const answer = await fetch(`${baseOf('standby')}/checkpoint`).catch(() => undefined);
      await answer?.arrayBuffer();
      if (answer?.status === 200) break;
      assert.ok(i < 600, 'the standby is not the publisher');
      await sleep(200);
    }
    await sameHeads('standby');
    assert.match(verify(), /VERIFIED/);
  }

  child.kill('SIGTERM');
  await once(child, 'exit');
  for (const [name, { pid }] of parts) assert.ok(!isRunning(pid), `${name} runs on`);
});
