import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { callsOf, ONE_THREAD, STRACE, straceMissing } from './strace.ts';
import { run, WORKER } from './told.ts';

const missing = straceMissing();

/** A kill leaves what the system has in memory; only the order of the syncs speaks for power. */
test('sync order: blobs, then the guard, then the word to the caller, and the batches at the end', async (t) => {
  if (missing !== undefined) return t.skip(missing);
  const base = await mkdtemp(join(tmpdir(), 'assay-sync-'));
  t.after(() => rm(base, { recursive: true, force: true }));
  const root = join(base, 'data');
  const worker = (mode: string): readonly string[] => [process.execPath, WORKER, mode, root];
  assert.ok((await run(worker('init'))).told.done);
  const log = join(base, 'trace');
  const traced = 'openat,write,pwrite64,fdatasync,fsync,rename';
  const ended = await run(
    [...STRACE, '-y', '-s', '8', '-o', log, '-e', `trace=${traced}`, ...worker('once')],
    ONE_THREAD,
  );
  assert.ok(ended.told.done, ended.errors);

  /** Files that hold something which is not synced yet. */
  const dirty = new Set<string>();
  const clean = (kind: RegExp, what: string): void => {
    const found = [...dirty].filter((path) => kind.test(path));
    assert.deepEqual(found, [], `${what} while something is not synced`);
  };
  /** Files whose writes are synced when they return. */
  const synced = new Set<string>();
  /** Logs of the database with batches that are in the guard as well. */
  const behind = new Set<string>();
  let isLastSettled = false;
  const counts = { batches: 0, heads: 0, words: 0, blobs: 0 };
  for (const { name, path, line } of callsOf(await readFile(log, 'utf8'), root)) {
    if (path === undefined) {
      if (!/^\d+ +write\(1</.test(line) || !/"(?:ack|head) /.test(line)) continue;
      counts.words += 1;
      clean(/./, line);
    } else if (name === 'openat') {
      if (line.includes('|O_DSYNC|')) synced.add(path);
      else synced.delete(path);
    } else if (name === 'fdatasync' || name === 'fsync') {
      // Small blobs are written behind others into one file, and synced together.
      if (name === 'fdatasync' && path.startsWith('blobs/') && dirty.has(path)) counts.blobs += 1;
      dirty.delete(path);
      behind.delete(path);
    } else if (name === 'rename') {
      if (!path.startsWith('blobs/')) continue;
      counts.blobs += 1;
      clean(/^blobs\/tmp\//, 'a blob gets its name');
      const target = line.slice(line.lastIndexOf(`${root}/`) + root.length + 1);
      dirty.add(target.slice(0, target.lastIndexOf('/')));
    } else if (path === 'head') {
      // The note for readers of the folder: nothing depends on it.
    } else if (path.startsWith('guard/')) {
      counts.heads += 1;
      clean(/^blobs\//, 'the guard is moved');
      if (!synced.has(path)) dirty.add(path);
      isLastSettled = behind.size === 0;
    } else if (/^ledger\/\d+\.log$/.test(path)) {
      counts.batches += 1;
      clean(/^blobs\//, 'a batch is written');
      behind.add(path);
    } else if (path.startsWith('blobs/')) {
      dirty.add(path);
    }
  }
  const { batches, heads, words, blobs } = counts;
  const isMuch = batches > 10 && heads > 10 && words > 20 && blobs > 1;
  assert.ok(isMuch, JSON.stringify(counts));
  assert.ok(isLastSettled, 'the last record of the guard comes after the sync of the database');
  t.diagnostic(
    `${counts.batches} batches, ${counts.heads} heads, ${counts.blobs} blobs, ${counts.words} words`,
  );
});
