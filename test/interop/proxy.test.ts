import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EntryFrames } from '@assay/node/stream/entry-frames';
import { EventHub } from '@assay/node/stream/event-hub';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { filledLedger, memoryPlace, note } from '../src/node/ledger/ledger-fixture.ts';
import { noTransport, serveWorld, TRANSPORTS } from '../src/node/api/world-service.ts';
import { freePort } from './free-port.ts';

interface Proxy {
  readonly name: string;
  readonly sample: string;
  /** The whole configuration around the sample, in a folder of its own. */
  readonly around: (sample: string, folder: string) => string;
  readonly command: (config: string, folder: string) => readonly string[];
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    sample: 'nginx.conf',
    around: (sample, folder) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${sample}
}
`,
    command: (config) => ['nginx', '-c', config],
  },
  {
    name: 'caddy',
    sample: 'Caddyfile',
    around: (sample) => `{\n\tadmin off\n\tauto_https off\n}\n${sample}`,
    command: (config) => ['caddy', 'run', '--config', config, '--adapter', 'caddyfile'],
  },
  {
    name: 'haproxy',
    sample: 'haproxy.cfg',
    around: (sample) => sample,
    command: (config) => ['haproxy', '-f', config],
  },
];

function isThere(program: string): boolean {
  try {
    execFileSync('which', [program]);
    return true;
  } catch {
    return false;
  }
}

/** Starts a proxy with its sample, whose two ports alone are changed; the port that it listens on. */
async function started(t: TestContext, proxy: Proxy, to: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-proxy-'));
  const port = await freePort();
  const sample = readFileSync(join(ROOT, 'samples', 'proxy', proxy.sample), 'utf8');
  const changed = sample
    .replaceAll('127.0.0.1:8787', `127.0.0.1:${to}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/^:8080/m, `http://127.0.0.1:${port}`);
  const config = join(folder, proxy.sample);
  writeFileSync(config, proxy.around(changed, folder));
  const [program = '', ...args] = proxy.command(config, folder);
  let said = '';
  const child: ChildProcess = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder },
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  t.after(async () => {
    child.kill('SIGKILL');
    await sleep(50);
    rmSync(folder, { recursive: true, force: true });
  });
  for (let i = 0; i < 200; i += 1) {
    assert.equal(child.exitCode, null, said);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return port;
    await sleep(50);
  }
  return assert.fail(`${program} does not listen: ${said}`);
}

for (const proxy of PROXIES) {
  for (const transport of TRANSPORTS) {
    test(
      `${proxy.name} in front of ${transport}, by its sample`,
      { timeout: 120_000 },
      async (t) => {
        const missing =
          noTransport(transport) ||
          (isThere(proxy.name) ? false : `${proxy.name} is not installed`);
        if (missing !== false) {
          t.skip(missing);
          return;
        }
        const ledger = await filledLedger(await memoryPlace(), 5);
        const hub = new EventHub(new EntryFrames(ledger, nodeSha256), { heartbeatMs: 1000 });
        t.after(() => hub.stop());
        const parts = { ledger, blobs: undefined as never, closeParts: { now: () => 0 } as never };
        const { base } = await serveWorld(t, parts, transport, { events: hub });
        t.after(() => ledger.close());
        const through = `http://127.0.0.1:${await started(t, proxy, Number(new URL(base).port))}`;

        // Reads, in any number over connections that stay open, one of them after the node has ended it.
        for (const pause of [0, 0, 0, 11_000, 0]) {
          await sleep(pause);
          const status = await fetch(`${through}/v1/status`);
          assert.equal(status.status, 200);
          await status.text();
        }
        // Compressed answers and their validators pass through.
        const page = { headers: { 'accept-encoding': 'br' } };
        let answer = await fetch(`${through}/docs`, page);
        for (let i = 0; i < 100 && answer.headers.get('content-encoding') !== 'br'; i += 1) {
          await answer.text();
          await sleep(20);
          answer = await fetch(`${through}/docs`, page);
        }
        assert.equal(answer.headers.get('content-encoding'), 'br');
        await answer.text();
        const etag = answer.headers.get('etag') ?? '';
        const again = await fetch(`${through}/docs`, {
          headers: { ...page.headers, 'if-none-match': etag },
        });
        assert.equal(again.status, 304);

        // What is posted, and refused, is a problem of the node, not of the proxy.
        const posted = await fetch(`${through}/v1/webhooks/subscribe`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"email":"a"}',
        });
        assert.equal(((await posted.json()) as { error: string }).error, 'invalid_email');

        // The stream comes at once, entry by entry.
        const controller = new AbortController();
        const events = await fetch(`${through}/v1/events`, { signal: controller.signal });
        const reader = (events.body as ReadableStream<Uint8Array>).getReader();
        let text = '';
        const reads = async (part: string): Promise<void> => {
          const late = setTimeout(() => controller.abort(), 10_000);
          while (!text.includes(part)) {
            const { value, done } = await reader.read();
            if (done) break;
            text += Buffer.from(value).toString();
          }
          clearTimeout(late);
          assert.ok(text.includes(part), text);
        };
        await reads('retry: 3000');
        for (const seq of [6, 7]) {
          await ledger.write(() => [note(`entry ${seq}`)]);
          hub.published(seq + 1, new Set());
          await reads(`id: ${seq}-`);
        }
        controller.abort();
      },
    );
  }
}
