import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseHex } from '@assay/core/bytes/hex';
import { submissionMessage } from '@assay/core/intake/submission-receipt';
import { answerLeaf } from '@assay/core/referee/answer-leaf';
import { questionProgress } from '@assay/core/view/referee';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import type { Submitted } from '@assay/node/referee/answer-intake';
import { AnswerWorld, submissionOf } from './answer-fixture.ts';

async function firstQuestion(world: AnswerWorld): Promise<string> {
  const [question] = await world.questions();
  assert.ok(question !== undefined);
  return question.id;
}

function recorded(submitted: Submitted): Extract<Submitted, { readonly kind: 'recorded' }> {
  assert.equal(submitted.kind, 'recorded');
  return submitted as Extract<Submitted, { readonly kind: 'recorded' }>;
}

/** The leaves of a question, in the order of the log. */
async function leavesOf(world: AnswerWorld, question: string): Promise<readonly string[]> {
  return (await world.bodies()).flatMap((each) =>
    each.kind === 'answers/1' && each.body.type === 'taken' && each.body.question === question
      ? each.body.leaves
      : [],
  );
}

test('answer intake: a leaf in the log, and a signed receipt with which the client makes it itself', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await firstQuestion(world);
  const given = submissionOf(id, 1);
  const { receipt, salt } = recorded(await world.intake.submit(given));
  assert.equal(receipt.leaf, answerLeaf(nodeSha256, id, 0, { ...given, salt }));
  assert.deepEqual(await leavesOf(world, id), [receipt.leaf]);
  const { subject, ordinal, nonce, held, log, key, signature } = receipt;
  assert.deepEqual(
    { subject, ordinal, nonce, held },
    { subject: id, ordinal: 0, nonce: given.nonce, held: 'one_disk' },
  );
  assert.equal(log, world.ledger.log);
  const message = submissionMessage(nodeSha256, receipt);
  assert.ok(nodeVerifySignature(parseHex(key), message, parseHex(signature)));
});

test('answer intake: the first answer of a caller counts, and only its nonce gets the receipt again', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await firstQuestion(world);
  const first = recorded(await world.intake.submit(submissionOf(id, 1)));
  const other = { nonce: 'f'.repeat(64) };
  assert.deepEqual(await world.intake.submit(submissionOf(id, 1, { ...other, answer: 'yes' })), {
    kind: 'already_answered',
    again: undefined,
  });
  const again = await world.intake.submit(submissionOf(id, 1));
  assert.equal(again.kind, 'already_answered');
  assert.deepEqual('again' in again ? again.again : undefined, {
    receipt: first.receipt,
    salt: first.salt,
  });
  assert.equal((await leavesOf(world, id)).length, 1);
});

test('answer intake: many at once are one entry, with a leaf and an ordinal each', async (t) => {
  const world = await AnswerWorld.open(t, ['SOL', 'ADA']);
  const [one, two] = await world.questions();
  assert.ok(one !== undefined && two !== undefined);
  const commits = world.store.commits.length;
  const all = await Promise.all(
    Array.from({ length: 600 }, (_, i) =>
      world.intake.submit(
        submissionOf(i < 550 ? one.id : two.id, i, { address: `198.51.${i >> 8}.${i & 255}` }),
      ),
    ),
  );
  const places = all.map((each) => {
    const { receipt } = recorded(each);
    return `${receipt.subject} ${receipt.ordinal}`;
  });
  assert.equal(new Set(places).size, 600);
  for (const each of all) {
    const { receipt } = recorded(each);
    assert.equal((await leavesOf(world, receipt.subject))[receipt.ordinal], receipt.leaf);
    if (receipt.ordinal > 3) break;
  }
  assert.ok(world.store.commits.length - commits <= 3, 'answers of the same moment share commits');
  const firsts = (await world.bodies()).flatMap((each) =>
    each.kind === 'answers/1' && each.body.type === 'taken'
      ? [[each.body.first, each.body.leaves.length]]
      : [],
  );
  assert.ok(firsts.every(([, length]) => (length as number) <= 512));
  assert.deepEqual(
    [
      questionProgress(world.ledger.tip, one.id)?.count,
      questionProgress(world.ledger.tip, two.id)?.count,
    ],
    [550, 50],
  );
});

test('answer intake: one caller who asks twice at once has one leaf', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await firstQuestion(world);
  const both = await Promise.all([
    world.intake.submit(submissionOf(id, 1)),
    world.intake.submit(submissionOf(id, 1)),
    world.intake.submit(submissionOf(id, 1, { nonce: 'e'.repeat(64) })),
  ]);
  assert.deepEqual(
    both.map(({ kind }) => kind),
    ['recorded', 'already_answered', 'already_answered'],
  );
  assert.equal((await leavesOf(world, id)).length, 1);
});

test('answer intake: three answers from one address, whatever the user agent, also at once', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await firstQuestion(world);
  const address = '2001:db8:1:2::/64';
  const from = (i: number): Promise<Submitted> =>
    world.intake.submit(submissionOf(id, i, { address, userAgent: `agent ${i}` }));
  const kinds = (await Promise.all([1, 2, 3, 4, 5].map(from))).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['recorded', 'recorded', 'recorded', 'address_cap', 'address_cap']);
  assert.equal((await from(6)).kind, 'address_cap');
  // Whoever has answered is told so, and not that the address is at its cap.
  assert.equal((await from(1)).kind, 'already_answered');
  assert.equal((await world.intake.submit(submissionOf(id, 9))).kind, 'recorded');
});

test('answer intake: no question, and none that takes answers any more', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await firstQuestion(world);
  assert.equal((await world.intake.submit(submissionOf('nobody', 1))).kind, 'not_found');
  world.after(14_399);
  assert.equal((await world.intake.submit(submissionOf(id, 1))).kind, 'recorded');
  world.after(14_400);
  assert.equal((await world.intake.submit(submissionOf(id, 1))).kind, 'closed');
  assert.equal((await world.intake.submit(submissionOf(id, 2))).kind, 'closed');
});

test('answer intake: callers, counts and receipts are as they were after a restart', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await firstQuestion(world);
  const address = '192.0.2.77';
  const all = await Promise.all(
    [1, 2, 3].map((i) =>
      world.intake.submit(submissionOf(id, i, { address, userAgent: `agent ${i}` })),
    ),
  );
  await world.restart();
  const again = await world.intake.submit(submissionOf(id, 2, { address, userAgent: 'agent 2' }));
  assert.deepEqual(
    'again' in again ? again.again?.receipt : undefined,
    recorded(all[1] as Submitted).receipt,
  );
  assert.equal((await world.intake.submit(submissionOf(id, 4, { address }))).kind, 'address_cap');
  assert.equal(recorded(await world.intake.submit(submissionOf(id, 5))).receipt.ordinal, 3);
});

test('answer intake: a crash before the log is written leaves no leaf, and its ordinal is used again', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await firstQuestion(world);
  recorded(await world.intake.submit(submissionOf(id, 1)));
  world.store.fail = 'failed';
  world.guard.fail = 'failed';
  assert.equal((await world.intake.submit(submissionOf(id, 2))).kind, 'halted');
  world.store.fail = undefined;
  world.guard.fail = undefined;
  assert.equal((await world.intake.submit(submissionOf(id, 3))).kind, 'halted');
  await world.ledger.resume();
  await world.restart();
  const { receipt } = recorded(await world.intake.submit(submissionOf(id, 3)));
  assert.equal(receipt.ordinal, 1);
  assert.equal(recorded(await world.intake.submit(submissionOf(id, 2))).receipt.ordinal, 2);
  const leaves = await leavesOf(world, id);
  assert.equal(new Set(leaves).size, 3);
  assert.equal(leaves[1], receipt.leaf);
});

test('answer intake: a leaf that the guard alone has comes back, with its caller', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await firstQuestion(world);
  world.store.fail = 'failed';
  assert.equal((await world.intake.submit(submissionOf(id, 2))).kind, 'halted');
  world.store.fail = undefined;
  await world.ledger.resume();
  const again = await world.intake.submit(submissionOf(id, 2));
  assert.equal(again.kind, 'already_answered');
  const next = recorded(await world.intake.submit(submissionOf(id, 3)));
  assert.equal(next.receipt.ordinal, 1);
  assert.deepEqual(await leavesOf(world, id), [
    'again' in again ? again.again?.receipt.leaf : undefined,
    next.receipt.leaf,
  ]);
});

test('answer intake: a write that failed but is on disk keeps its leaf and its caller', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await firstQuestion(world);
  world.store.fail = 'failed, but on disk';
  assert.equal((await world.intake.submit(submissionOf(id, 2))).kind, 'halted');
  world.store.fail = undefined;
  await world.ledger.resume();
  const again = await world.intake.submit(submissionOf(id, 2));
  const leaves = await leavesOf(world, id);
  // Whether it stands or not, the log and the answer to the caller agree.
  if (leaves.length === 1) {
    assert.equal(again.kind, 'already_answered');
    assert.equal('again' in again ? again.again?.receipt.leaf : undefined, leaves[0]);
  } else assert.equal(again.kind, 'recorded');
});

test('answer intake: files are for their owner alone, and no address or user agent is in any of them', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await firstQuestion(world);
  const [address, userAgent] = ['203.0.113.211', 'Very-Special-Agent/7.3'];
  recorded(await world.intake.submit(submissionOf(id, 1, { address, userAgent })));
  const bytes: Buffer[] = [];
  for (const folder of [world.folders.callers, world.folders.openings]) {
    assert.deepEqual(await readdir(folder), [id]);
    assert.equal((await stat(join(folder, id))).mode & 0o777, 0o600);
    bytes.push(await readFile(join(folder, id)));
  }
  for await (const entry of world.ledger.entries(0, world.ledger.nextSeq))
    bytes.push(Buffer.from(entry));
  const text = Buffer.concat(bytes).toString('latin1');
  for (const trace of [address, userAgent, 'Special', Buffer.from(address).toString('hex')]) {
    assert.equal(text.includes(trace), false, trace);
  }
  // The nonce is in the openings, and not in the log before the close.
  const [callers = '', openings = ''] = bytes.slice(0, 2).map(String);
  assert.ok(
    openings.includes(submissionOf(id, 1).nonce) && !callers.includes(submissionOf(id, 1).nonce),
  );
});
