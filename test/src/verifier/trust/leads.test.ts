import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNote, parseNoteKey } from '@assay/core/log/note';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { findLead } from '@assay/verifier/trust/leads';
import { ENVIRONMENT } from '../fixture/published.ts';
import { CHECKPOINT_KEYS, CHECKPOINT_VKEYS, PLACES, replaced } from '../fixture/replaced-log.ts';

const whole = replaced();
const [key0, key1] = CHECKPOINT_KEYS;
const head = parseNote(whole.checkpoint);
const named = [parseNoteKey(nodeSha256, CHECKPOINT_VKEYS[1] as string)];

/** What leads from key 1 to the newest head, and the closing heads that were read for it. */
async function leadOver(
  closing: (number: number) => Uint8Array | undefined,
): Promise<readonly [string, number]> {
  let read = 0;
  const source = {
    from: 0,
    read: (number: number) => {
      read += 1;
      return Promise.resolve(closing(number));
    },
  };
  return [await findLead(head, named, source, ENVIRONMENT), read];
}

test('lead: a closing head is found behind any number of others, and behind one that is missing', async () => {
  const other = whole.head(PLACES.rotation1, [key0]);
  const own = whole.head(PLACES.recovery2, [key1]);
  assert.deepEqual(await leadOver((n) => (n === 40 ? own : other)), ['closing_head', 41]);
  assert.deepEqual(await leadOver((n) => (n === 40 ? own : n % 2 === 0 ? other : undefined)), [
    'closing_head',
    41,
  ]);
  assert.deepEqual(await leadOver(() => other), ['others', 1024]);
});

test('lead: the second closing head in a row that is missing ends the search', async () => {
  const other = whole.head(PLACES.rotation1, [key0]);
  assert.deepEqual(await leadOver((n) => (n < 3 ? other : undefined)), ['others', 5]);
  assert.deepEqual(await leadOver(() => undefined), ['none', 2]);
  const own = parseNoteKey(nodeSha256, CHECKPOINT_VKEYS[3] as string);
  const read = (): Promise<undefined> => assert.fail();
  assert.equal(await findLead(head, [own], { from: 0, read }, ENVIRONMENT), 'head');
});
