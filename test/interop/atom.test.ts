import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SHIPS } from '@assay/node/api/changelog/ships';
import { withDemo } from '../src/node/fixture/demo-node.ts';

const PROGRAM = fileURLToPath(new URL('../../interop/atom.py', import.meta.url));

function checked(feed: string): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync('python3', ['-I', '-B', PROGRAM], {
    input: feed,
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

test("the changelog's feed is Atom to a parser of another party", async (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) {
    t.skip('python3 is not here');
    return;
  }
  await withDemo({}, async (base) => {
    const answer = await fetch(`${base}/v1/changelog.atom`);
    assert.equal(answer.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
    const feed = await answer.text();
    const held = { 'if-none-match': answer.headers.get('etag') ?? '' };
    assert.equal((await fetch(`${base}/v1/changelog.atom`, { headers: held })).status, 304);
    const { status, text } = checked(feed);
    assert.equal(status, 0, text);
    assert.ok(Number(text) >= SHIPS.length);
    assert.notEqual(checked(feed.replace('<updated>', '<updatde>')).status, 0);
    assert.notEqual(checked(feed.replaceAll(/<author>.*<\/author>/g, '')).status, 0);
  });
});
