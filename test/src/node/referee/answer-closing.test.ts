import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ClosedAnswers } from '@assay/core/kind/answers';
import { answerLeaf, batchRoot } from '@assay/core/referee/answer-leaf';
import { parseAnswerOpenings } from '@assay/core/referee/answer-openings';
import { crowdSums, questionProgress } from '@assay/core/view/referee';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Fault } from '@assay/core/fault';
import { AnswerClosing } from '@assay/node/referee/answer-closing';
import { AnswerWorld, submissionOf } from './answer-fixture.ts';

async function closedOf(world: AnswerWorld): Promise<readonly ClosedAnswers[]> {
  return (await world.bodies()).flatMap((each) =>
    each.kind === 'answers/1' && each.body.type === 'closed' ? [each.body] : [],
  );
}

async function asked(world: AnswerWorld, count: number): Promise<string> {
  const [question] = await world.questions();
  assert.ok(question !== undefined);
  for (let i = 0; i < count; i += 1) {
    assert.equal((await world.intake.submit(submissionOf(question.id, i))).kind, 'recorded');
  }
  return question.id;
}

test('answer closing: at the time, once, every leaf is opened, and the caller is forgotten', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await asked(world, 5);
  world.after(14_399);
  await world.closing.closeDue();
  assert.deepEqual(await closedOf(world), []);
  world.after(14_400);
  await world.closing.closeDue();
  await world.closing.closeDue();
  const [closed, ...more] = await closedOf(world);
  assert.deepEqual(more, []);
  assert.ok(closed !== undefined && closed.openings !== null);
  assert.deepEqual([closed.question, closed.count, closed.yes, closed.no], [id, 5, 3, 2]);
  const bytes = await world.blobs.get(closed.openings);
  assert.ok(bytes !== undefined);
  const { answers } = parseAnswerOpenings(bytes);
  const leaves = answers.map((each, i) => answerLeaf(nodeSha256, id, i, each));
  assert.equal(batchRoot(nodeSha256, leaves), closed.root);
  assert.equal(existsSync(join(world.folders.callers, id)), false);
  assert.equal(existsSync(join(world.folders.openings, id)), false);
  assert.deepEqual(world.closed, [`${id} 5`]);
  assert.equal((await world.intake.submit(submissionOf(id, 0))).kind, 'closed');
  assert.equal(existsSync(join(world.folders.callers, id)), false);
});

test('answer closing: a question that nobody answered is closed without a blob', async (t) => {
  const world = await AnswerWorld.open(t, ['SOL', 'ADA']);
  world.after(20_000);
  await world.closing.closeDue();
  const closed = await closedOf(world);
  assert.deepEqual(
    closed.map(({ count, openings, root }) => [count, openings, root]),
    Array.from({ length: 2 }, () => [0, null, batchRoot(nodeSha256, [])]),
  );
});

test('answer closing: what came due while the node was down is closed at its start', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await asked(world, 3);
  world.after(14_500);
  await world.restart();
  world.closing.start();
  while (world.closed.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal((await closedOf(world))[0]?.count, 3);
  assert.equal(existsSync(join(world.folders.callers, id)), false);
});

test('answer closing: a stop between the entry and the removal leaves callers that the next start removes', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await asked(world, 2);
  world.after(14_500);
  await world.closing.closeDue();
  await writeFile(join(world.folders.callers, id), '{"key":"00"}\n');
  await writeFile(join(world.folders.callers, 'of-no-question'), '');
  await world.restart();
  world.closing.start();
  const isThere = (name: string): boolean => existsSync(join(world.folders.callers, name));
  while (isThere(id) || isThere('of-no-question'))
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(await closedOf(world).then((all) => all.length), 1);
});

test('answer closing: answers whose openings are lost are not closed, and that is said', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await asked(world, 2);
  await world.restart();
  await rm(join(world.folders.openings, id));
  world.after(14_500);
  await world.closing.closeDue();
  await world.closing.closeDue();
  assert.deepEqual(await closedOf(world), []);
  assert.equal(world.failed.length, 1);
  assert.match(world.closing.concerns()[0]?.reason ?? '', /cannot be opened: answer.*leaf 0/);
  assert.equal(questionProgress(world.ledger.tip, id)?.closed, null);
});

test('answer closing: an answer on its way at the close is in the batch, or is told that it is late', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await asked(world, 1);
  world.store.gate.shut();
  const late = world.intake.submit(submissionOf(id, 8));
  await new Promise((resolve) => setTimeout(resolve, 20));
  world.after(14_400);
  const closing = world.closing.closeDue();
  world.store.gate.open();
  await closing;
  const { kind } = await late;
  const [closed] = await closedOf(world);
  assert.equal(closed?.count, kind === 'recorded' ? 2 : 1);
});

test('answer closing: a disk that is full until the outcome delays the openings, and keeps no caller', async (t) => {
  const world = await AnswerWorld.open(t);
  const id = await asked(world, 3);
  const { put } = world.blobs;
  const blobs = world.blobs as { put: typeof put };
  blobs.put = () => Promise.reject(new Error('ENOSPC'));
  world.after(14_400);
  await world.closing.closeDue();
  assert.equal(existsSync(join(world.folders.callers, id)), false);
  assert.equal(existsSync(join(world.folders.openings, id)), true);
  const resolved_at = (await world.questions())[0]?.resolves_at ?? null;
  const outcome = { question: id, outcome: 'yes', score: 50, resolved_at } as const;
  world.after(86_460);
  await world.ledger.write(() => [{ kind: 'outcome/1', body: outcome }]);
  await world.closing.closeDue();
  assert.deepEqual(await closedOf(world), []);
  assert.match(world.closing.concerns()[0]?.reason ?? '', /ENOSPC/);
  await world.restart();
  blobs.put = put;
  await world.closing.closeDue();
  assert.deepEqual(
    (await closedOf(world)).map(({ count, yes }) => [count, yes]),
    [[3, 2]],
  );
  assert.deepEqual(world.closing.concerns(), []);
  assert.equal(existsSync(join(world.folders.callers, id)), false);
  assert.equal(existsSync(join(world.folders.openings, id)), false);
  const crowd = [...crowdSums(world.ledger.tip)];
  assert.deepEqual(crowd, [[3, { n: 1, squares: 1 }]]);
});

test('answer closing: a log that cannot be read for a moment is said, and the next poll closes', async (t) => {
  const world = await AnswerWorld.open(t);
  const { ledger, blobs, intake } = world;
  world.after(14_400);
  let fault: Fault | undefined = new Fault('stopped', 'ledger database');
  const said: string[] = [];
  const closing = new AnswerClosing({
    ledger: {
      blocked: undefined,
      get tip() {
        if (fault !== undefined) throw fault;
        return ledger.tip;
      },
      write: (draft) => ledger.write(draft),
    },
    blobs,
    intake,
    sha256: nodeSha256,
    now: () => world.time,
    everyMs: 20,
    onClosed: (question) => said.push(question),
    onFailed: (_, reason) => said.push(reason),
  });
  await closing.closeDue();
  assert.deepEqual(said, [fault.message]);
  fault = undefined;
  await closing.closeDue();
  const [question] = await world.questions();
  assert.deepEqual(said.slice(1), [question?.id]);
});
