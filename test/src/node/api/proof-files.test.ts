import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { parseProof } from '@assay/core/ots/proof';
import { formatTimestamp } from '@assay/core/ots/timestamp';
import { anchorRow } from '@assay/core/view/anchors';
import { stampsBetween } from '@assay/core/view/stamps';
import { AnswerCache, type Ready } from '@assay/node/api/answer-cache';
import { type NoFile, ProofFiles } from '@assay/node/api/proof-files';
import type { LogRecord } from '@assay/node/ledger/record';
import { appendAttested, appendBatch, blockAt, treeOf } from '../../core/fixture/anchor-fixture.ts';
import { type SampleLog, sha256, SOME_HASH } from '../../core/fixture/fixture.ts';
import { smallLog } from '../../core/view/small-log.ts';

/** A timestamp by the calendar of that number. */
function tipBy(calendar: number): Uint8Array {
  const uri = `http://calendar.example/${calendar}`;
  return formatTimestamp({ items: [{ attestation: { kind: 'pending', uri } }] });
}

interface World {
  readonly log: SampleLog;
  readonly files: ProofFiles;
  readonly blobs: Map<HashHex, Uint8Array>;
  /** Hashes that were read, in order. */
  readonly reads: HashHex[];
  /** What happens before a blob is given. */
  onRead: () => void;
  hashed: number;
}

function world(): World {
  const log = smallLog();
  const blobs = new Map<HashHex, Uint8Array>();
  const record = { shown: log.views, published: undefined } as unknown as LogRecord;
  const made: World = {
    log,
    blobs,
    reads: [],
    onRead: () => {},
    hashed: 0,
    files: new ProofFiles(
      record,
      {
        read: async (hash) => {
          made.reads.push(hash);
          await Promise.resolve();
          made.onRead();
          const bytes = blobs.get(hash);
          if (bytes === undefined) return undefined;
          return {
            size: bytes.length,
            chunks: async function* () {
              yield bytes.subarray(0, 3);
              await Promise.resolve();
              yield bytes.subarray(3);
            },
          };
        },
      },
      (bytes) => {
        made.hashed += 1;
        return sha256(bytes);
      },
      new AnswerCache(1024 ** 3),
    ),
  };
  return made;
}

function put({ blobs }: World, bytes: Uint8Array): HashHex {
  const hash = hashHex(contentHash(sha256, bytes));
  blobs.set(hash, bytes);
  return hash;
}

/** The calendars that a file names, and where it leads. */
function said(file: Ready | NoFile): readonly (readonly [string, string])[] {
  assert.ok(typeof file === 'object', 'a file');
  const { timestamp, digest } = parseProof(file.body as Uint8Array);
  return evaluate(timestamp, digest, otsHashes(sha256)).map(({ attestation, message }) => [
    attestation.kind === 'pending' ? attestation.uri : attestation.kind,
    formatHex(message),
  ]);
}

test('proof files: no batch, no timestamp, and one that is not of its hash', async () => {
  const made = world();
  const { log, files } = made;
  const [digest = SOME_HASH] = stampsBetween(log.views, 0, 99);
  assert.equal(await files.fileOf(SOME_HASH), 'unstamped');
  assert.equal(await files.fileOf(digest), 'unstamped');
  const proof = hashHex(contentHash(sha256, tipBy(1)));
  const { tip } = appendBatch(log, undefined, { proof });
  assert.equal(await files.fileOf(digest), 'unreadable');
  made.blobs.set(proof, tipBy(2));
  assert.equal(await files.fileOf(digest), 'unreadable');
  put(made, tipBy(1));
  assert.deepEqual(said(await files.fileOf(digest)), [['http://calendar.example/1', tip]]);
});

test('proof files: a batch is read and its tree made once for all of its digests', async () => {
  const made = world();
  const { log, files, reads } = made;
  appendBatch(log, undefined, { proof: put(made, tipBy(1)) });
  const { digests } = treeOf(log, 0);
  const first = await files.fileOf(digests[0] ?? SOME_HASH);
  const { hashed } = made;
  for (const digest of digests) await files.fileOf(digest);
  assert.equal(await files.fileOf(digests[0] ?? SOME_HASH), first, 'the same object');
  assert.equal(reads.length, 1);
  assert.equal(made.hashed, hashed);
});

test('proof files: a batch that is known better while its timestamp is read is read again', async () => {
  const made = world();
  const { log, files, reads } = made;
  const old = put(made, tipBy(1));
  const { tip } = appendBatch(log, undefined, { proof: old });
  const [digest = SOME_HASH] = stampsBetween(log.views, 0, 99);
  const better = put(made, tipBy(2));
  made.onRead = () => {
    if (anchorRow(log.views, 0)?.issue !== 0) return;
    const { proof } = appendAttested(log, 0, [blockAt(9)]);
    assert.equal(proof, old);
    log.append('anchor/1', { ...issued(log), issue: 2, proof: better }, '2026-08-22T04:00:00Z');
  };
  assert.deepEqual(said(await files.fileOf(digest)), [['http://calendar.example/2', tip]]);
  assert.deepEqual(reads, [old, better]);
});

function issued(log: SampleLog): object {
  const { seq: _seq, at: _at, ...body } = anchorRow(log.views, 0) ?? {};
  return body;
}

test('proof files: of many batches the newest that were asked for are kept', async () => {
  const made = world();
  const { log, files, reads } = made;
  const digests: HashHex[] = [];
  for (let batch = 0; batch < 300; batch += 1) {
    appendBatch(log, undefined, { proof: put(made, tipBy(batch)) });
    digests.push(treeOf(log, batch).digests[0] ?? SOME_HASH);
  }
  for (const digest of digests) assert.equal(said(await files.fileOf(digest)).length, 1);
  assert.equal(reads.length, 300);
  await files.fileOf(digests[0] ?? SOME_HASH);
  assert.equal(reads.length, 300, 'its file is kept');
  const [, other = SOME_HASH] = treeOf(log, 0).digests;
  await files.fileOf(other);
  assert.equal(reads.length, 301, 'its timestamp made room');
});
