import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import {
  isPackable,
  packSignatures,
  runSignatures,
  type SignatureTask,
} from '@assay/verifier/task/signature-task';

function signed(message: Uint8Array): SignatureTask {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  const key = new Uint8Array(Buffer.from(x as string, 'base64url'));
  return { key, message, signature: new Uint8Array(sign(null, message, privateKey)) };
}

test('signature task: each of a batch is verified for itself, in its place', () => {
  const lengths = [0, 1, 128, 70_000, 3];
  const tasks = lengths.map((length, i) => {
    const task = signed(new Uint8Array(length).fill(i));
    // Every other one with a bit turned.
    if (i % 2 === 1) task.signature[5] = (task.signature[5] as number) ^ 1;
    return task;
  });
  assert.deepEqual([...runSignatures(packSignatures(tasks), nodeVerifySignature)], [1, 0, 1, 0, 1]);
  assert.deepEqual([...runSignatures(packSignatures([]), nodeVerifySignature)], []);
});

test('signature task: a message of another task makes no signature good', () => {
  const one = signed(Uint8Array.of(1));
  const two = signed(Uint8Array.of(2));
  const crossed = [
    { ...one, message: two.message },
    { ...two, message: one.message },
  ];
  assert.deepEqual([...runSignatures(packSignatures(crossed), nodeVerifySignature)], [0, 0]);
});

test('signature task: a key or a signature of another length is not packed', () => {
  const task = signed(Uint8Array.of(1));
  assert.equal(isPackable(task), true);
  assert.equal(isPackable({ ...task, key: task.key.subarray(1) }), false);
  assert.equal(isPackable({ ...task, signature: new Uint8Array(65) }), false);
});
