import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pacedSteps, runSteps, type Steps } from '@assay/core/steps';

function* three(done: number[]): Steps<string> {
  for (let i = 0; i < 3; i += 1) {
    done.push(i);
    yield;
  }
  return 'all';
}

test('steps: all at once, or with a pause after each', async () => {
  const [at, paced]: [number[], number[]] = [[], []];
  assert.equal(runSteps(three(at)), 'all');
  const before: number[] = [];
  const pause = (): Promise<void> => Promise.resolve(void before.push(paced.length));
  assert.equal(await pacedSteps(three(paced), pause), 'all');
  assert.equal(await pacedSteps(three([])), 'all');
  assert.deepEqual(
    [at, paced, before],
    [
      [0, 1, 2],
      [0, 1, 2],
      [1, 2, 3],
    ],
  );
});

test('steps: what a pause throws ends the work', async () => {
  const done: number[] = [];
  const stop = (): Promise<void> => Promise.reject(new Error('enough'));
  await assert.rejects(pacedSteps(three(done), stop), /enough/);
  assert.deepEqual(done, [0]);
});
