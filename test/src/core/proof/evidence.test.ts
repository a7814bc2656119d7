import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEvidence, MAX_EVIDENCE_BYTES, parseEvidence } from '@assay/core/proof/evidence';
import { faultCode } from '@assay/core/fault';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, type WireObject } from '@assay/core/wire/wire';
import { vectors } from '../fixture/fixture.ts';

const FILES =
  vectors<readonly { readonly name: string; readonly file: string }[]>('evidence/files');

function refusal(value: WireObject | string): string {
  try {
    parseEvidence(typeof value === 'string' ? formatUtf8(value) : formatWire(value));
    return 'taken';
  } catch (error) {
    return faultCode(error) ?? String(error);
  }
}

test('evidence: a file is what the formatter writes', () => {
  for (const { name, file } of FILES) {
    assert.equal(parseUtf8(formatEvidence(parseEvidence(formatUtf8(file)))), file, name);
  }
});

test('evidence: closed, each member there and of its type', () => {
  for (const { name, file } of FILES) {
    const value = JSON.parse(file) as WireObject;
    assert.equal(refusal({ ...value, more: null }), 'malformed', name);
    for (const member of Object.keys(value)) {
      const { [member]: _gone, ...rest } = value;
      const code = member === 'kind' ? 'unsupported' : 'malformed';
      assert.equal(refusal(rest), code, `${name} without ${member}`);
      assert.equal(refusal({ ...value, [member]: 7 }), code, `${name}, ${member}`);
      assert.equal(refusal({ ...value, [member]: [7] }), code, `${name}, ${member}`);
    }
  }
});

test('evidence: base64, and witnesses in order', () => {
  const file = FILES.find(({ name }) => name === 'omission')?.file ?? '';
  const value = JSON.parse(file) as WireObject & { readonly witnesses: readonly string[] };
  const [one = '', two = ''] = value.witnesses;
  const genesis = value['genesis'] as WireObject;
  assert.equal(refusal({ ...value, genesis: { ...genesis, entry: 'AB==' } }), 'malformed');
  assert.equal(refusal({ ...value, genesis: { ...genesis, entry: '' } }), 'malformed');
  assert.equal(refusal({ ...value, witnesses: [one, two] }), 'taken');
  assert.equal(refusal({ ...value, witnesses: [two, one] }), 'malformed');
  assert.equal(refusal({ ...value, witnesses: [one, one] }), 'malformed');
  const many = Array.from({ length: 65 }, (_, i) => `w${String(i).padStart(2, '0')}`);
  assert.equal(refusal({ ...value, witnesses: many.slice(0, 64) }), 'taken');
  assert.equal(refusal({ ...value, witnesses: many }), 'malformed');
});

test('evidence: a file has a largest size', () => {
  const fill = (length: number): string => `{"a":"${'x'.repeat(length - 8)}"}`;
  assert.equal(refusal(fill(MAX_EVIDENCE_BYTES)), 'unsupported');
  assert.equal(refusal(fill(MAX_EVIDENCE_BYTES + 1)), 'too_large');
});
