import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { test } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatCheckpoint } from '@assay/core/log/checkpoint';
import { formatPrint, printOf } from '@assay/core/report/print';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import type { SignerQuestion } from '@assay/node/signer/signer-message';
import { SigningMemory } from '@assay/node/signer/signing-memory';
import { tallyPath } from '@assay/node/signer/signing-tally';
import { naiveRoot, ORIGIN, testSigner } from '../ledger/ledger-fixture.ts';
import {
  CHECKPOINT_KEY,
  headQuestion,
  judgeWorld,
  leavesOf,
  LOG,
  printQuestion,
  REPORT_KEY,
  REPORT_KEY_HEX,
  reportOf,
  signatureOf,
} from './signer-fixture.ts';

test('signer: a head that extends the newest one is signed, again and again, and over restarts', async (t) => {
  let world = await judgeWorld(t);
  for (const [size, from] of [
    [1, 0],
    [2, 1],
    [7, 2],
    [7, 0],
    [300, 7],
  ] as const) {
    const leaves = leavesOf(size);
    const answer = await world.judge.answer(headQuestion(leaves, from));
    const text = formatCheckpoint({ origin: ORIGIN, size, root: naiveRoot(leaves) });
    assert.ok(
      nodeVerifySignature(
        CHECKPOINT_KEY.publicKey,
        formatUtf8(text),
        parseHex(signatureOf(answer), 64),
      ),
    );
    world = await world.again();
    assert.equal(world.memory.head?.size, size);
  }
});

test('signer: a head of another history is never signed, after a restart either', async (t) => {
  let world = await judgeWorld(t);
  await world.judge.answer(headQuestion(leavesOf(5), 0));
  world = await world.again();
  const fork = leavesOf(5, 4);
  const refused: readonly (readonly [SignerQuestion, string])[] = [
    [headQuestion(fork, 0), 'would_fork'],
    [headQuestion(leavesOf(9, 4), 5), 'would_fork'],
    // The proof of the right log, with the root of another one.
    [{ ...headQuestion(leavesOf(9), 5), root: headQuestion(leavesOf(9, 8), 0).root }, 'would_fork'],
    [{ ...headQuestion(leavesOf(9), 5), proof: [] }, 'would_fork'],
    [headQuestion(leavesOf(9), 4), 'wrong_head'],
    [headQuestion(leavesOf(9), 0), 'wrong_head'],
    [headQuestion(leavesOf(4), 0), 'ledger_behind'],
    [{ ...headQuestion(leavesOf(9), 5), origin: 'development/other' }, 'refused'],
  ];
  for (const [question, code] of refused)
    await assert.rejects(world.judge.answer(question), { code });
  assert.equal(world.checkpointKey.signed, 0);
  await world.judge.answer(headQuestion(leavesOf(9), 5));
  assert.equal(world.checkpointKey.signed, 1);
});

test('signer: a period ends once, whichever way, and a place is signed for one report', async (t) => {
  let world = await judgeWorld(t);
  const provisional = reportOf('provisional');
  const { period } = provisional;
  const final = reportOf('final', { period });
  const first = signatureOf(await world.judge.answer(printQuestion(final)));
  assert.ok(
    nodeVerifySignature(
      REPORT_KEY.publicKey,
      formatPrint(printOf(nodeSha256, final)),
      parseHex(first, 64),
    ),
  );
  world = await world.again();
  assert.equal(
    signatureOf(await world.judge.answer(printQuestion(final))),
    first,
    'the same again',
  );
  for (const other of [
    reportOf('final', { period, published_at: '2026-07-30T14:00:01Z' }),
    reportOf('void', { period }),
    reportOf('provisional', { period }),
  ]) {
    await assert.rejects(world.judge.answer(printQuestion(other)), { code: 'signed_otherwise' });
  }
  assert.equal(world.reportKey.signed, 1, 'nothing but the same again');
  // What a node that stopped in that moment needs to go on.
  const kept = await world.judge.answer({ ask: 'report', report: reportOf('void', { period }) });
  assert.deepEqual(kept, { give: 'report', report: final });
  const later = reportOf('void', { period: '2026-08-01' });
  await world.judge.answer(printQuestion(later));
  await assert.rejects(
    world.judge.answer(printQuestion(reportOf('final', { period: '2026-08-01' }))),
    {
      code: 'signed_otherwise',
    },
  );
});

test('signer: a correction comes after a final, and a Close after the version before it', async (t) => {
  const { judge } = await judgeWorld(t);
  const close = (version: number, hash: string): SignerQuestion =>
    ({
      ask: 'sign',
      key: REPORT_KEY_HEX,
      what: { of: 'close', log: LOG, day: '2026-07-30', version, hash: hash.repeat(64) },
    }) as never;
  await assert.rejects(judge.answer(close(1, 'b')), { code: 'refused' });
  await judge.answer(close(0, 'a'));
  await assert.rejects(judge.answer(close(0, 'b')), { code: 'signed_otherwise' });
  await judge.answer(close(1, 'b'));
  const corrected = reportOf('corrected');
  await assert.rejects(judge.answer(printQuestion(corrected)), { code: 'refused' });
  await judge.answer(printQuestion(reportOf('final', { period: corrected.period })));
  await judge.answer(printQuestion(corrected));
});

test('signer: nothing of another log, by another key, or for a second payment key', async (t) => {
  const { judge, reportKey } = await judgeWorld(t);
  const other = 'cd'.repeat(32);
  const sign = (what: object, key = REPORT_KEY_HEX): SignerQuestion =>
    ({ ask: 'sign', key, what }) as never;
  const place = { subject: 'q', ordinal: 0, leaf: LOG, nonce: other };
  const endorsed = { log: LOG, kid: 'did:web:a.example#x402', publicKey: other };
  for (const what of [
    { of: 'print', report: reportOf('final', { log: other }) },
    { of: 'close', log: other, day: '2026-07-30', version: 0, hash: LOG },
    { of: 'receipt', place: { ...place, log: other } },
    { of: 'endorsement', key: { ...endorsed, log: other } },
    { of: 'transaction', message: '00' },
  ]) {
    await assert.rejects(judge.answer(sign(what)), { code: 'refused' }, what.of);
  }
  await assert.rejects(
    judge.answer(sign({ of: 'receipt', place: { ...place, log: LOG } }, other)),
    { code: 'refused' },
  );
  assert.equal(reportKey.signed, 0);
  await judge.answer(sign({ of: 'receipt', place: { ...place, log: LOG } }));
  await judge.answer(sign({ of: 'webhook', id: 'msg_1', timestamp: 1, body: '{}' }));
  await judge.answer(sign({ of: 'endorsement', key: endorsed }));
  await assert.rejects(
    judge.answer(
      sign({
        of: 'endorsement',
        key: { ...endorsed, publicKey: formatHex(testSigner(9).publicKey) },
      }),
    ),
    { code: 'signed_otherwise' },
  );
});

test('signer: what cannot be made durable is not signed', async (t) => {
  const { judge, memory, checkpointKey, reportKey } = await judgeWorld(t);
  await memory.close();
  await assert.rejects(judge.answer(headQuestion(leavesOf(3), 0)));
  await assert.rejects(judge.answer(printQuestion(reportOf('final'))));
  assert.deepEqual([checkpointKey.signed, reportKey.signed], [0, 0]);
});

test('signing memory: one process at a time, none is made by mistake, and none is made over another', async (t) => {
  const { folder, memory } = await judgeWorld(t);
  await assert.rejects(SigningMemory.open(nodeSha256, folder), { code: 'refused' });
  await assert.rejects(SigningMemory.open(nodeSha256, `${folder}-none`), { code: 'not_found' });
  await memory.close();
  await assert.rejects(SigningMemory.open(nodeSha256, folder, { create: true }), {
    code: 'not_empty',
  });
});

test('signing memory: a row that was changed at rest is an error, and not a place that is free', async (t) => {
  const { folder, judge, memory } = await judgeWorld(t);
  const final = reportOf('final');
  await judge.answer(headQuestion(leavesOf(3), 0));
  await judge.answer(printQuestion(final));
  await memory.close();
  const changed = `${folder}-changed`;
  await cp(folder, changed, { recursive: true });
  await cp(tallyPath(folder), tallyPath(changed));
  const { Level } = await import('level');
  const place = `print/${final.ticker}/${final.period}/end`;
  const database = new Level<string, Uint8Array>(changed, { valueEncoding: 'view' });
  const row = (await database.get(place)) as Uint8Array;
  row[3] = (row[3] as number) ^ 1;
  await database.put(place, row);
  await database.close();
  await assert.rejects(SigningMemory.open(nodeSha256, changed), {
    code: 'ledger_corrupt',
    message: /a row with its digest/,
  });
});

test('signing memory: an operator lets one place be signed again', async (t) => {
  const { judge, memory } = await judgeWorld(t);
  const final = reportOf('final');
  const end = `print/${final.ticker}/${final.period}/end` as const;
  await judge.answer(printQuestion(final));
  assert.deepEqual(await memory.places('print/', 10), [end]);
  assert.equal(await memory.forget(end), true);
  assert.equal(await memory.forget(end), false);
  await judge.answer(printQuestion(reportOf('void', { period: final.period })));
});
