import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { NOTE_COSIGNATURE, parseNoteKey } from '@assay/core/log/note';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { isSignedBy, parseSignedCheckpoint } from '@assay/verifier/trust/signed-note';
import { sha256 } from '../../core/fixture/fixture.ts';
import { NEEDS } from '../fixture/evidence-files.ts';
import {
  COSIGNER,
  HONEST,
  LOG_SIGNER,
  logSigner,
  type Signer,
  WITNESSES,
} from '../fixture/evidence-world.ts';

const [WITNESS] = WITNESSES;
const LOG_KEY = parseNoteKey(sha256, LOG_SIGNER.vkey);
const WITNESS_KEY = parseNoteKey(sha256, WITNESS.vkey, NOTE_COSIGNATURE);

function signed(signers: readonly Signer[], key = LOG_KEY): Promise<boolean> {
  return isSignedBy(parseSignedCheckpoint(parseUtf8(HONEST.note(5, signers))).note, key, NEEDS);
}

test('signed note: a line of each type', async () => {
  assert.equal(await signed([LOG_SIGNER]), true);
  assert.equal(await signed([WITNESS, LOG_SIGNER]), true);
  assert.equal(await signed([LOG_SIGNER, WITNESS], WITNESS_KEY), true);
});

test('signed note: lines of others, of other texts and of other lengths are none', async () => {
  const of = (signer: Signer, line: Signer['line']): Signer => ({ ...signer, line });
  assert.equal(await signed([WITNESS]), false);
  assert.equal(await signed([LOG_SIGNER], WITNESS_KEY), false);
  assert.equal(await signed([logSigner(COSIGNER)]), false);
  assert.equal(await signed([of(LOG_SIGNER, () => LOG_SIGNER.line('other\n'))]), false);
  assert.equal(await signed([of(WITNESS, () => WITNESS.line('other\n'))], WITNESS_KEY), false);
  const short: Signer['line'] = (text) => {
    const line = WITNESS.line(text);
    return { ...line, signature: line.signature.subarray(1) };
  };
  assert.equal(await signed([of(WITNESS, short)], WITNESS_KEY), false);
  // A signature over the text alone is no cosignature, whoever made it.
  const plain: Signer['line'] = (text) => ({
    ...LOG_SIGNER.line(text),
    name: WITNESS.name,
    keyId: WITNESS_KEY.keyId,
  });
  assert.equal(await signed([of(WITNESS, plain)], WITNESS_KEY), false);
});

test('signed note: what is no checkpoint', () => {
  for (const text of [
    '',
    'a\n\n',
    'a\n1\nAAAA\n\n— a AAAAAAA=\n',
    parseUtf8(HONEST.note(5)).slice(1, -1),
  ]) {
    assert.throws(
      () => parseSignedCheckpoint(text),
      (error) => ['bad_note', 'bad_base64'].includes(faultCode(error) ?? ''),
    );
  }
});
