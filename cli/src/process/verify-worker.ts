import { parentPort } from 'node:worker_threads';
import type { Rule } from '@assay/core/rule/rule';
import { messageOf } from '@assay/core/fault';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { runRead } from '@assay/verifier/task/read-task';
import { runSignatures } from '@assay/verifier/task/signature-task';
import type { Done, Job } from './verify-threads.ts';

/** Rules by the number that the other side gave them, because each is sent once. */
const rules = new Map<number, Rule>();

function done(job: Job): Done {
  if (job.kind === 'signatures') {
    return { id: job.id, good: runSignatures(job.packed, nodeVerifySignature) };
  }
  if (job.sentRule !== undefined) rules.set(job.rule, job.sentRule);
  const rule = rules.get(job.rule);
  if (rule === undefined) throw new TypeError(`rule ${job.rule} was not sent`);
  return { id: job.id, result: runRead({ ...job.task, rule }) };
}

// Whatever a job throws belongs to that job: the thread goes on with the others.
parentPort?.on('message', (jobs: readonly Job[]) => {
  const answers = jobs.map((job): Done => {
    try {
      return done(job);
    } catch (error) {
      return { id: job.id, error: messageOf(error) };
    }
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(answers);
});
