import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import { formatLoss, isLossText, type Loss, parseLoss } from '@assay/core/kind/loss';

const ROOT = toHashHex('ab'.repeat(32));
const LOSSES: readonly Loss[] = [
  { from: 1000, to: 1005, root: ROOT, known: 'guard' },
  { from: 1000, to: 1001, root: null, known: 'operator' },
  { from: 1, to: null, root: null, known: 'nobody' },
];

test('loss: the text of a note, and back', () => {
  assert.equal(
    formatLoss(LOSSES[0] as Loss),
    `assay-loss/1\nfrom 1000\nto 1005\nroot ${ROOT}\nknown guard\n\n` +
      'The 5 entries from 1000 to 1004 were acknowledged before this log was restored, and could not be brought back. ' +
      'What stands in their places from here on is not what stood there.\n',
  );
  for (const loss of LOSSES) {
    assert.equal(isLossText(formatLoss(loss)), true);
    assert.deepEqual(parseLoss(formatLoss(loss)), loss);
  }
  assert.equal(isLossText('An outage of three hours.'), false);
});

test('loss: a text that says anything else is none', () => {
  const text = formatLoss(LOSSES[0] as Loss);
  for (const other of [
    text.slice(0, -1),
    `${text}\n`,
    text.replace('from 1000', 'from 01000'),
    text.replace('to 1005', 'to 1006'),
    text.replace('The 5 entries', 'The 1 entry'),
    text.replace('known guard', 'known everybody'),
    text.replace(ROOT, ROOT.toUpperCase()),
    formatLoss({ from: 5, to: 5, root: null, known: 'guard' }),
    formatLoss({ from: 5, to: null, root: ROOT, known: 'nobody' }),
    'assay-loss/1\n',
  ]) {
    assert.throws(() => parseLoss(other), { code: 'malformed' }, other.slice(0, 60));
  }
});
