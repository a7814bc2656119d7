import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { withDemo } from '../src/node/fixture/demo-node.ts';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);
const PARSER = 'feedparser==6.0.12';

/** What PyPI's feedparser finds in a feed; `bozo` where it is not well-formed. */
const SCRIPT = `
import json, sys, feedparser
feed = feedparser.parse(sys.stdin.buffer.read())
print(json.dumps({
  "bozo": bool(feed.bozo), "version": feed.version, "title": feed.feed.get("title"),
  "author": feed.feed.get("author"), "entries": [[e.id, e.title, e.link, bool(e.updated_parsed)] for e in feed.entries],
}))
`;

test("PyPI's feedparser reads the feed of the changelog", { timeout: 600_000 }, async (t) => {
  const folder = join(peersFolder('feed-peers'), 'python');
  const done = await installed(folder, PARSER, async (into) => {
    await run('python3', ['-m', 'venv', into], { timeout: INSTALL_MS });
    await run(join(into, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', PARSER], {
      timeout: INSTALL_MS,
    });
  });
  if (!done) {
    t.skip(`PyPI's ${PARSER} could not be installed`);
    return;
  }
  await withDemo({}, async (base) => {
    const response = await fetch(`${base}/v1/changelog.atom`);
    assert.equal(response.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
    const text = await response.text();
    const again = await fetch(`${base}/v1/changelog.atom`, {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    });
    assert.equal(again.status, 304);
    const json = (await (await fetch(`${base}/v1/changelog`)).json()) as {
      readonly ships: readonly { readonly title: string }[];
      readonly score_events: readonly unknown[];
    };
    const found = JSON.parse(
      execFileSync(join(folder, 'bin', 'python'), ['-I', '-c', SCRIPT], { input: text }).toString(),
    ) as {
      readonly bozo: boolean;
      readonly version: string;
      readonly author: string;
      readonly entries: readonly (readonly [
        id: string,
        title: string,
        link: string,
        dated: boolean,
      ])[];
    };
    assert.equal(found.bozo, false);
    assert.equal(found.version, 'atom10');
    assert.equal(found.author, 'Assay');
    assert.equal(found.entries.length, json.ships.length + json.score_events.length);
    assert.ok(
      found.entries.every(
        ([id, , link, dated]) => id.startsWith('urn:uuid:') && link !== '' && dated,
      ),
    );
    for (const { title } of json.ships)
      assert.ok(
        found.entries.some(([, each]) => each === title),
        title,
      );
  });
});
