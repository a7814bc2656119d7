import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { EventOpen } from '@assay/core/kind/event';
import { recordDigest } from '@assay/core/kind/record-digest';
import { sha256 } from '../fixture/fixture.ts';
import { TerminalMarket } from '../terminal/terminal-log.ts';

test('record digest: the sha256 of the canonical body', () => {
  const { drafts } = new TerminalMarket(1);
  const body = drafts.find(({ kind }) => kind === 'event/1')?.body as EventOpen;
  const text = `{"breadth":{"down":0,"of":3,"up":2},"class":"crypto","id":"${body.id}","move_24h":842,"opened_at":"2026-08-27T02:00:00Z","price":"${body.price}","rule":"${body.rule}","score":72,"symbol":"ETH","vol_mult":315}`;
  const expected = createHash('sha256').update(text).digest('hex');
  assert.equal(recordDigest(sha256, body), expected);
});
