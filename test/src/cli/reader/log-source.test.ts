import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { type LogSource, openLogFolder, openLogUrl } from '@assay/cli/reader/log-source';
import { EXPORT_MARK_TEXT, exportFile } from '@assay/core/answer/copy/export-file';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { publish, type Site, siteOf } from '../../verifier/fixture/published.ts';
import { tickedLog } from '../../verifier/fixture/ticked-log.ts';
import { scratch, serve } from '../fixture/run.ts';

const LOG = tickedLog();
const PUBLISHED = publish(LOG.entries, LOG.blobs, LOG.checkpoints);

async function entriesOf(source: LogSource): Promise<readonly Uint8Array[]> {
  const entries: Uint8Array[] = [];
  for await (const bytes of source.entries()) entries.push(bytes);
  return entries;
}

test('log source: entries and blobs of a server and of an export', async (t) => {
  const site = siteOf(PUBLISHED);
  const [[hash, blob] = []] = [...LOG.blobs];
  const folder = await scratch(t);
  await writeFile(join(folder, 'assay-export.json'), EXPORT_MARK_TEXT);
  for (const [path, { body }] of site) {
    const file = join(folder, exportFile(path, 200));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, body);
  }
  const sources = [
    await openLogUrl(await serve(t, site), nodeSha256),
    await openLogFolder(folder, nodeSha256),
  ];
  for (const source of sources) {
    assert.equal(source.checkpoint.origin, 'development/replay-ticked');
    const entries = await entriesOf(source);
    assert.deepEqual(
      entries.map((bytes) => Buffer.from(bytes).toString()),
      LOG.entries.map((bytes) => Buffer.from(bytes).toString()),
    );
    assert.deepEqual(
      Buffer.from((await source.blob(hash as never)) ?? []),
      Buffer.from(blob ?? []),
    );
    assert.equal(await source.blob('00'.repeat(32) as never), undefined);
    await source.close();
  }
});

test('log source: entries that have not the root of the checkpoint end in an error', async (t) => {
  const other = publish(LOG.entries.slice(0, 30), LOG.blobs, LOG.checkpoints);
  const site: Site = siteOf(PUBLISHED);
  for (const [path, answer] of siteOf(other)) {
    if (path.startsWith('/tile/entries')) site.set('/tile/entries/000.p/30', answer);
  }
  site.set('/checkpoint', {
    status: 200,
    body: LOG.checkpoints.sign(30, new Uint8Array(32) as never),
    logSize: undefined,
  });
  const source = await openLogUrl(await serve(t, site), nodeSha256);
  await assert.rejects(entriesOf(source), { code: 'ledger_differs' });
});
