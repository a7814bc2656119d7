import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { asyncDocument } from '@assay/node/api/events/async-document';
import { withDemo } from '../../fixture/demo-node.ts';

interface Documented {
  readonly channels: {
    readonly events: {
      readonly messages: Readonly<Record<'entry' | 'tick', { readonly payload: object }>>;
    };
  };
}

test('async document: what the stream sends is what the document describes', async () => {
  await withDemo({}, async (base) => {
    const served = (await (await fetch(`${base}/v1/asyncapi.json`)).json()) as Documented;
    assert.deepEqual(served, asyncDocument());
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    // A CommonJS default of a module of its own types.
    (formats as unknown as (ajv: Ajv2020) => void)(ajv);
    const { entry, tick } = served.channels.events.messages;
    const fitsEntry = ajv.compile(entry.payload);
    const fitsTick = ajv.compile(tick.payload);
    const leave = new AbortController();
    const response = await fetch(`${base}/events?from=0`, { signal: leave.signal });
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.split('\n\n').length > 20) break;
    }
    leave.abort();
    const sent = text.split('\n\n').slice(1, -1);
    assert.ok(sent.length > 10);
    for (const each of sent) {
      const [, data = ''] = /^data: (.*)$/m.exec(each) ?? [];
      const value = JSON.parse(data) as Record<string, unknown>;
      assert.ok(fitsEntry(value), ajv.errorsText(fitsEntry.errors));
      assert.ok(!fitsEntry({ ...value, leaf_hash: 'x' }));
      assert.ok(!fitsTick(value));
    }
    const ts = '2026-11-20T13:30:00Z';
    assert.ok(fitsTick({ class: 'crypto', ts, scores: { SOL: 41, ETH: null } }));
    assert.ok(!fitsTick({ class: 'crypto', ts, scores: { SOL: 101 } }));
  });
});
