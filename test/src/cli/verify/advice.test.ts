import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Answer } from '@assay/verifier/reader/log-reader';
import { wireBytes } from '../../verifier/fixture/forge.ts';
import { bundleOf } from '../../verifier/fixture/misdeeds.ts';
import { siteOf, youngLog } from '../../verifier/fixture/published.ts';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';
import { assay, listen, scratch, serve } from '../fixture/run.ts';

const young = youngLog(await sampleLog());
const page: Answer = {
  status: 200,
  body: formatUtf8('<!doctype html>\n\n<p>Docs\n'),
  logSize: undefined,
};
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ');

test('advice: a page of a log in place of the log is exit 3, with the address that was meant', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, new Map([...siteOf(young), ['/docs/checkpoint', page]]));
  for (const path of ['/docs', '/a/b/c', '/docs/']) {
    const { code, out, err } = await assay(folder, ['verify', `${url}${path}`]);
    assert.deepEqual([code, err], [3, ''], out);
    assert.match(
      out,
      /^NOT COMPLETED: there is no log at this address; this says nothing about any log\./,
    );
    assert.ok(
      plain(out).includes(`There is a log at ${url}: did you mean assay verify ${url}?`),
      out,
    );
    assert.doesNotMatch(out, /NOT VERIFIED|checkpoint_/);
  }
  const bundle = await assay(folder, ['bundle', `${url}/docs/x`, '--index', 'LAYOFFS', '-o', 'n']);
  assert.equal(bundle.code, 3);
  assert.ok(bundle.err.includes(`there is a log at ${url} [not_found]`), bundle.err);
  assert.deepEqual(await readdir(folder), []);
});

test('advice: a host of something else has no log above it either', async (t) => {
  const folder = await scratch(t);
  const url = await listen(
    t,
    createServer((_request, response) => response.end('<html>')),
  );
  const { code, out } = await assay(folder, ['verify', `${url}/docs`]);
  assert.equal(code, 3);
  assert.match(plain(out), /Look at the address: a log has its signed head at \/checkpoint/);
});

test('advice: a file that is none, and one that went through another program, accuse nobody', async (t) => {
  const folder = await scratch(t);
  const bytes = wireBytes(await bundleOf(young));
  const value = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  await writeFile(join(folder, 'pretty.json'), `${JSON.stringify(value, null, 2)}\n`);
  await writeFile(join(folder, 'notes.txt'), 'VERIFIED\n');
  const pretty = await assay(folder, ['verify', 'pretty.json']);
  assert.equal(pretty.code, 3);
  assert.match(
    plain(pretty.out),
    /^NOT COMPLETED: the file is a bundle that another program has laid out anew/,
  );
  assert.match(plain(pretty.out), /jq -cj \. pretty\.json > again\.json/);
  // What it says brings the file back, to the byte.
  await writeFile(join(folder, 'again.json'), JSON.stringify(value));
  assert.equal((await assay(folder, ['verify', 'again.json'])).code, 0);
  const notes = await assay(folder, ['verify', 'notes.txt']);
  assert.equal(notes.code, 3);
  assert.match(notes.out, /^NOT COMPLETED: the file is no bundle/);
});

test('advice: a host that is not there, and a port without a service, in plain words', async (t) => {
  const folder = await scratch(t);
  const gone = await listen(t, createServer());
  const port = new URL(gone).port;
  for (const [url, words] of [
    [
      'http://nosuch.invalid',
      /no host of that name.*\(ENOTFOUND\)|no answer of the name service.*\(EAI_AGAIN\)/,
    ],
    ['http://127.0.0.1:2', /nothing that listens there.*\(ECONNREFUSED\)/],
    [`https://127.0.0.1:${port}`, /no TLS; does the address begin with http:\/\//],
  ] as const) {
    const { code, out } = await assay(folder, ['verify', url]);
    assert.equal(code, 3, out);
    assert.match(plain(out), words);
    const bundle = await assay(folder, ['bundle', url, '--index', 'X', '-o', 'n']);
    assert.equal(bundle.code, 3, bundle.err);
    assert.match(bundle.err, words);
  }
});

test('advice: a missing http:// is asked about, exit 2', async (t) => {
  const folder = await scratch(t);
  for (const args of [
    ['verify', '127.0.0.1:8787'],
    ['bundle', '127.0.0.1:8787', '--index', 'X', '-o', 'n'],
  ]) {
    const { code, err } = await assay(folder, args);
    assert.equal(code, 2);
    assert.match(err, /; did you mean http:\/\/127\.0\.0\.1:8787\?\n/);
  }
});
