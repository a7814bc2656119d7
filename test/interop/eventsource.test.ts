import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { KIND_NOUNS } from '@assay/core/kind/kinds';
import { withDemo } from '../src/node/fixture/demo-node.ts';

const run = promisify(execFile);

const CLIENT = 'eventsource@4.1.1';

/** Prints each event of the kinds that it is given, a line each. */
const PROGRAM = `
import { EventSource } from 'eventsource';
const [address, ...kinds] = process.argv.slice(2);
const source = new EventSource(address);
for (const kind of kinds) source.addEventListener(kind, ({ lastEventId, data }) => {
  console.log(JSON.stringify({ kind, id: lastEventId, seq: JSON.parse(data).seq ?? null }));
});
`;

interface Line {
  readonly kind: string;
  readonly id: string;
  readonly seq: number | null;
}

interface Way {
  readonly port: number;
  /** The requests that passed. */
  readonly asked: readonly string[];
  readonly cut: () => void;
}

/** A way to a server that a test can cut, as networks do. */
async function cuttable(t: TestContext, port: number): Promise<Way> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const each of [near, far]) {
      sockets.add(each);
      each.on('error', () => each.destroy());
      each.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (chunk) => asked.push(chunk.toString('latin1').toLowerCase()));
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const cut = (): void => {
    for (const each of sockets) each.destroy();
    sockets.clear();
  };
  t.after(() => {
    cut();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked, cut };
}

/** The events that a client in a process of its own hears. */
function heard(
  t: TestContext,
  program: string,
  address: string,
  kinds: readonly string[],
): readonly Line[] {
  const child = spawn(process.execPath, [program, address, ...kinds]);
  t.after(() => child.kill());
  const lines: Line[] = [];
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      lines.push(JSON.parse(text.slice(0, end)) as Line);
      text = text.slice(end + 1);
    }
  });
  return lines;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 600 && !holds(); i += 1) await sleep(100);
  assert.ok(holds(), what);
}

test('a client of another party comes back where it was', { timeout: 300_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-eventsource-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-save'];
  try {
    await run('npm', ['install', ...quiet, '--prefix', folder, CLIENT], { timeout: 120_000 });
  } catch {
    t.skip(`${CLIENT} could not be installed`);
    return;
  }
  const program = join(folder, 'read.mjs');
  await writeFile(program, PROGRAM);
  await withDemo({}, async (base) => {
    const way = await cuttable(t, Number(new URL(base).port));
    const address = `http://127.0.0.1:${way.port}/v1/events?from=0`;
    const kinds = KIND_NOUNS.map((noun) => `${noun}/1`);
    const all = heard(t, program, address, kinds);
    // Its filter lets nothing through.
    const passing = heard(t, program, `${address}&kinds=study`, [...kinds, 'position']);
    await until(() => all.length > 20 && passing.length > 0, 'both hear something');
    const { length } = all;
    const newest = passing.at(-1)?.id ?? '';
    assert.match(newest, /^\d+-[0-9a-f]{16}$/);
    way.cut();
    await until(() => way.asked.length === 4, 'both are back');
    const again = way.asked.slice(2);
    const filtered = again.find((text) => text.includes('kinds=study')) ?? '';
    assert.ok(filtered.includes(`last-event-id: ${newest}\r\n`), filtered);
    assert.ok(again.every((text) => text.includes('last-event-id: ')));
    await sleep(1000);
    const size = async (): Promise<number> =>
      Number((await (await fetch(`${base}/checkpoint`)).text()).split('\n')[1]);
    const published = await size();
    await until(() => all.length >= published, 'all that is published');
    assert.ok(all.length >= length);
    assert.deepEqual(
      all.map(({ seq }) => seq),
      all.map((_, seq) => seq),
    );
    assert.ok(all.every(({ id, seq }) => id.startsWith(`${seq}-`)));
    assert.ok(passing.every(({ kind }) => kind === 'position'));
  });
});
