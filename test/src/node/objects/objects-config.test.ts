import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { messageOf } from '@assay/core/fault';
import { objectsField, openBucket, readCredentials } from '@assay/node/objects/objects-config';
import { s3Server, S3_KEYS } from '../fixture/s3-server.ts';

const LEAST = { endpoint: 'https://s3.test', bucket: 'assay' };

test('objects config: the defaults, and what is refused', () => {
  assert.deepEqual(objectsField.parse(LEAST), {
    ...LEAST,
    region: 'us-east-1',
    prefix: '',
    path_style: true,
    credentials: null,
    blobs_first: false,
    every_s: 5,
    reports: 60,
    keep_s: 10_800,
    behind_after_s: 600,
    timeout_s: 30,
  });
  for (const change of [
    { bucket: 'A' },
    { bucket: 'a/b' },
    { prefix: '/a' },
    { prefix: '../a' },
    { endpoint: 'https://user:word@s3.test' },
    { endpoint: 'ftp://s3.test' },
    { endpoint: 'https://s3.test?x=1' },
    { reports: 0 },
    { secret: 'x' },
  ]) {
    assert.equal(
      objectsField.safeParse({ ...LEAST, ...change }).success,
      false,
      JSON.stringify(change),
    );
  }
});

test('objects config: credentials come from the environment or from a file', async (t) => {
  const server = await s3Server(t);
  const config = objectsField.parse({ ...LEAST, endpoint: server.place.endpoint, prefix: 'p' });
  const object = { bytes: new Uint8Array(3), contentType: 'text/plain', cacheControl: 'no-store' };
  const environment = {
    AWS_ACCESS_KEY_ID: S3_KEYS.keyId,
    AWS_SECRET_ACCESS_KEY: S3_KEYS.secret,
    AWS_SESSION_TOKEN: 'for an hour',
  };
  await openBucket(config, environment).put('a', object);
  assert.equal(server.asked.at(-1)?.key, 'p/a');
  assert.equal(server.asked.at(-1)?.headers['x-amz-security-token'], 'for an hour');
  assert.throws(() => openBucket(config, {}), { code: 'bad_config' });
  const folder = await mkdtemp(join(tmpdir(), 'assay-credentials-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'bucket.json');
  const text = JSON.stringify({
    access_key_id: S3_KEYS.keyId,
    secret_access_key: S3_KEYS.secret,
  });
  await writeFile(file, text, { mode: 0o600 });
  await openBucket({ ...config, credentials: file }, {}).put('b', object);
  assert.equal(server.objects.has('p/b'), true);
});

test('objects config: a file of credentials that others may read, or that holds something else, is refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-credentials-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'bucket.json');
  await assert.rejects(readCredentials(file), { code: 'bad_config' });
  await writeFile(file, '{"access_key_id":"a","secret_access_key":"hush"}', { mode: 0o600 });
  await chmod(file, 0o640);
  await assert.rejects(readCredentials(file), { code: 'key_exposed' });
  await chmod(file, 0o600);
  assert.deepEqual(await readCredentials(file), { keyId: 'a', secret: 'hush' });
  for (const text of ['hush', '{"secret_access_key":"hush"}', '["hush"]']) {
    await writeFile(file, text);
    await assert.rejects(readCredentials(file), (error) => {
      assert.doesNotMatch(messageOf(error), /hush/);
      return true;
    });
  }
});
