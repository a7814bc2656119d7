import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deploymentCost } from '@assay/chain/deploy/deployment';
import { fetchRent } from '@assay/chain/deploy/fetched-account';
import { CLOSE_ACCOUNT_BYTES } from '@assay/core/feed/close-account';
import { FEED_BYTES } from '@assay/core/feed/feed-account';
import { PAGE_BYTES } from '@assay/core/feed/page-account';
import { ROOT } from '../../core/fixture/fixture.ts';
import { SKIP } from '../development/world.ts';
import { PROGRAM_BYTES } from '../fixture/world.ts';
import { deployWorld } from './world.ts';

/** The cells of a row of the page's table of costs. */
function row(name: string): readonly string[] {
  const page = readFileSync(join(ROOT, 'docs', 'chain.md'), 'utf8');
  const line = page.split('\n').find((each) => each.startsWith(`| ${name}`));
  assert.ok(line !== undefined, name);
  return line.split('|').map((cell) => cell.trim());
}

test('costs: the page says what the chain takes', { skip: SKIP }, async () => {
  const { rpc } = await deployWorld();
  for (const [name, length] of [
    ['feed', FEED_BYTES],
    ['page', PAGE_BYTES],
    ['Close', CLOSE_ACCOUNT_BYTES],
  ] as const) {
    const [, , bytes, rent] = row(name);
    assert.equal(Number(bytes?.replace(',', '')), length);
    assert.equal(Math.round(Number(rent) * 1e9), Number(await fetchRent(rpc, length)));
  }
  const [, , bytes, rent, fee] = row('program').map((cell) => cell.replace(/^about |,/g, ''));
  const cost = await deploymentCost(rpc, PROGRAM_BYTES.length);
  const near = (said: string | undefined, is: number): void => {
    assert.ok(Math.abs(Number(said) / is - 1) < 0.1, `${said} for ${is}`);
  };
  near(bytes, PROGRAM_BYTES.length);
  near(rent, Number(cost.rent) / 1e9);
  near(fee, Number(cost.fees) / 1e9);
});
