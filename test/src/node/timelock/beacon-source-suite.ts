import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { roundTime } from '@assay/core/timelock/beacon-chain';
import { verifyBeacon } from '@assay/core/timelock/beacon-signature';
import type { BeaconSource } from '@assay/node/timelock/beacon-source';

/** A source, and a way to set the clock that it and its beacon have. */
export interface BeaconWorld {
  readonly source: BeaconSource;
  readonly setTime: (seconds: number) => void;
}

const { signal } = new AbortController();

/** What every source of a beacon's rounds does. */
export function beaconSourceSuite(
  name: string,
  make: (t: TestContext) => Promise<BeaconWorld>,
): void {
  test(`${name}: a round is there from its time on, and not a second before`, async (t) => {
    const { source, setTime } = await make(t);
    const { chain } = source;
    for (const round of [1, 2, 1000]) {
      setTime(roundTime(chain, round) - 1);
      assert.equal(await source.signature(round, signal), undefined);
      setTime(roundTime(chain, round));
      const signature = await source.signature(round, signal);
      assert.ok(signature !== undefined);
      assert.equal(verifyBeacon(chain, round, signature), true);
      assert.deepEqual(await source.signature(round, signal), signature);
    }
    // An earlier round is there, too.
    assert.equal((await source.signature(3, signal))?.length, 48);
  });

  test(`${name}: what is no round is a mistake of the caller`, async (t) => {
    const { source } = await make(t);
    for (const round of [0, -1, 1.5, 2 ** 53, Number.NaN]) {
      await assert.rejects(source.signature(round, signal), { code: 'out_of_range' });
    }
  });
}
