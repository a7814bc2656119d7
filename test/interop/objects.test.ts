import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { exportHostReader } from '@assay/cli/reader/export-reader';
import { messageOf } from '@assay/core/fault';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import type { ObjectStore } from '@assay/node/objects/object-store';
import { probeConditions } from '@assay/node/objects/probe';
import { ProbedStore } from '@assay/node/objects/probed-store';
import { S3_LIMITS, S3Store } from '@assay/node/objects/s3-store';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { assay, scratch } from '../src/cli/fixture/run.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { bucketWorld } from '../src/node/fixture/bucket-world.ts';
import { ENVIRONMENT } from '../src/verifier/fixture/published.ts';
import { freePort } from './free-port.ts';
import {
  motoPython,
  type S3Peer,
  s3rverProgram,
  started,
  startMoto,
  startS3rver,
  startVersitygw,
  versitygwProgram,
} from './s3-peers.ts';

function storeOf(t: TestContext, { place, credentials }: S3Peer): S3Store {
  const store = new S3Store(place, () => Promise.resolve(credentials), S3_LIMITS);
  t.after(() => store.close());
  return store;
}

/** Everything that a static host of a bucket would answer, asked of the store itself. */
function hostOf(store: ObjectStore): LogReader {
  return {
    live: true,
    async get(path) {
      const found = await store.read(path.slice(1), MAX_PAGE_BYTES);
      const body = found?.bytes ?? new Uint8Array(0);
      return { status: found === undefined ? 404 : 200, body, logSize: undefined };
    },
  };
}

/** Serves a folder as docs/objects.md shows it for nginx; its address. */
async function nginxOver(t: TestContext, files: string): Promise<string> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'assay-nginx-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const sample = readFileSync(join(ROOT, 'samples', 'proxy', 'nginx-bucket.conf'), 'utf8')
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('/srv/assay-log', files);
  const config = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    config,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
     http { access_log off; ${temporary.join(' ')} ${sample} }`,
  );
  await started(t, 'nginx', ['-c', config], port);
  return `http://127.0.0.1:${port}`;
}

/** Copies a bucket into a folder, the checkpoint last, as a tool for S3 would. */
async function filesOf(t: TestContext, { place }: S3Peer, store: ObjectStore): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const names: string[] = [];
  for (let after = ''; ; after = names.at(-1) as string) {
    const query = `list-type=2&start-after=${encodeURIComponent(after)}`;
    const text = await (await fetch(`${place.endpoint}/${place.bucket}?${query}`)).text();
    const page = [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, name]) => name as string);
    names.push(...page);
    if (page.length === 0) break;
  }
  for (const name of names.sort(
    (a, b) => Number(a === 'checkpoint') - Number(b === 'checkpoint'),
  )) {
    const found = await store.read(name, MAX_PAGE_BYTES);
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), found?.bytes ?? '');
  }
  return folder;
}

function hasNginx(): boolean {
  try {
    execFileSync('which', ['nginx']);
    return true;
  } catch {
    return false;
  }
}

async function holdsALog(t: TestContext, peer: S3Peer): Promise<void> {
  const bucket = storeOf(t, peer);
  await probeConditions(bucket);
  const world = await bucketWorld(t);
  const store = new ProbedStore(bucket);
  const reader = (): LogReader => exportHostReader(hostOf(bucket));
  for (const grow of world.grow) {
    await grow();
    const parts = world.bucketParts(store);
    // Two writers at once come to one end.
    await Promise.all([world.copy(parts).advance(), world.copy(parts).advance()]);
    const verdict = await verify({ kind: 'log', reader: reader() }, OPEN_POLICY, {
      environment: ENVIRONMENT,
    });
    const found = verdict.outcome === 'findings' ? verdict.findings : [];
    assert.deepEqual([verdict.outcome, found], ['verified', []]);
  }
  if (!hasNginx()) {
    t.diagnostic('nginx is not installed: the files were read from the store alone');
    return;
  }
  const address = await nginxOver(t, peer.files ?? (await filesOf(t, peer, bucket)));
  const { code, out, err } = await assay(await scratch(t), ['verify', address]);
  assert.equal(code, 0, out + err);
  assert.match(out, new RegExp(`${world.ledger.nextSeq} entries`));
}

test(
  'moto keeps the conditions of writes, and a static host of its bucket is verified',
  { timeout: 600_000 },
  async (t) => {
    const found = await motoPython();
    if ('missing' in found) {
      t.skip(found.missing);
      return;
    }
    await holdsALog(t, await startMoto(t, found.python));
  },
);

test(
  'versitygw keeps the conditions of writes, and nginx over its files is verified',
  { timeout: 600_000 },
  async (t) => {
    const found = versitygwProgram();
    if ('missing' in found) {
      t.skip(found.missing);
      return;
    }
    await holdsALog(t, await startVersitygw(t, found.program));
  },
);

test(
  's3rver takes the conditions of writes and ignores them, and is refused',
  { timeout: 600_000 },
  async (t) => {
    const found = await s3rverProgram();
    if ('missing' in found) {
      t.skip(found.missing);
      return;
    }
    const store = storeOf(t, await startS3rver(t, found.script));
    await assert.rejects(probeConditions(store), (error) => {
      assert.match(messageOf(error), /it took the second create of one object/);
      return true;
    });
    await assert.rejects(
      new ProbedStore(store).put('a', {
        bytes: new Uint8Array(1),
        contentType: 'text/plain',
        cacheControl: 'no-store',
      }),
      { code: 'objects_unsafe' },
    );
  },
);
