import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseNote, parseNoteKey } from '@assay/core/log/note';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openSigned } from '@assay/node/mirror/mirrored-note';
import { openPredecessor } from '@assay/node/restore/succession-source';
import { formatProposal, SUCCESSION_FILE } from '@assay/node/restore/succession-proposal';
import { parseSuccession } from '@assay/core/kind/succession';
import { toHashHex } from '@assay/core/hash/hash';
import { ownData } from '../../cli/fixture/data-folder.ts';
import { replaceCheckpointKey } from '../fixture/checkpoint-ceremony.ts';
import { backupOf, faultOf, grow, loseDisk, restored, serveBackup, SIZE } from './restore-world.ts';

const NEW = toHashHex('cd'.repeat(32));
const open = (data: string): ReturnType<typeof openPredecessor> =>
  openPredecessor(data, nodeSha256, { passphrase: undefined });

test('succession source: a head that the key in genesis did not sign is refused, with the reason', async (t) => {
  const data = join(await ownData(t), 'data');
  await replaceCheckpointKey(data, 'promise');
  const before = await open(data);
  assert.deepEqual([before.isSigned, before.facts.head.size], [true, SIZE + 1]);
  const { succession } = parseSuccession(nodeSha256, before.text(NEW));
  await replaceCheckpointKey(data, 'rotation');
  // The key before signed the handover head, and the new one would sign the succession.
  const [keyCode, keyWords] = await faultOf(open(data));
  assert.equal(keyCode, 'bad_note');
  assert.match(keyWords, /checkpoint\.json[^]*cannot show it[^]*without --succeeds[^]*another/);
  const size = await grow(data, 'under the new key');
  const [code, words] = await faultOf(open(data));
  assert.equal(code, 'bad_note');
  assert.match(words, /cannot show it[^]*without --succeeds[^]*a head without a good signature/);
  // A restore that was refused before has left heads of the first key: the ledger has a newer one.
  const proposal = formatProposal({ ...succession, lost: null });
  await writeFile(join(data, SUCCESSION_FILE), proposal);
  assert.match((await faultOf(open(data)))[1], /a head without a good signature/);
  await replaceCheckpointKey(data, 'recovery');
  assert.equal(await grow(data, 'after the recovery'), size + 2);
  assert.match((await faultOf(open(data)))[1], /a head without a good signature/);
});

test('succession source: the handover head is one of the key in genesis, whoever signs the succession', async (t) => {
  const data = join(await ownData(t), 'data');
  await replaceCheckpointKey(data, 'promise');
  await replaceCheckpointKey(data, 'rotation');
  await rm(join(data, 'keys', 'checkpoint.json'));
  const { isSigned, facts, text } = await open(data);
  assert.deepEqual([isSigned, facts.head.size], [false, SIZE + 2]);
  const { head } = parseSuccession(nodeSha256, text(NEW)).succession;
  assert.equal(parseNote(head).signatures.length, 2);
  const key = parseNoteKey(nodeSha256, facts.genesis.checkpoint_vkey);
  assert.ok(openSigned(key, head) !== undefined);
});

test('succession source: a restore of a later key that finds a head over lost entries names no succession', async (t) => {
  const folder = await ownData(t);
  const [data, copy, newer] = [join(folder, 'data'), join(folder, 'copy'), join(folder, 'newer')];
  await replaceCheckpointKey(data, 'promise');
  await replaceCheckpointKey(data, 'rotation');
  await grow(data, 'kept');
  await backupOf(data, copy);
  await grow(data, 'lost');
  await backupOf(data, newer);
  const url = await serveBackup(t, newer, (path, bytes) =>
    path === '/checkpoint' ? bytes : undefined,
  );
  await loseDisk(data);
  const [code, words] = await faultOf(restored(data, [copy], { mirrors: [url] }));
  assert.equal(code, 'head_lost', words);
  assert.match(words, /assay init --succeeds cannot show/);
  assert.deepEqual(await readdir(data), ['keys']);
});
