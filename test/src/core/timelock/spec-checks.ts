import assert from 'node:assert/strict';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { beaconChainParser, QUICKNET } from '@assay/core/timelock/beacon-chain';
import { roundPoint, verifyBeacon } from '@assay/core/timelock/beacon-signature';
import { openSealed, sealTo } from '@assay/core/timelock/sealed';
import type { WireValue } from '@assay/core/wire/wire';
import { sha256 } from '../fixture/fixture.ts';
import type { SpecCheck } from '../terminal/spec-checks.ts';

/** What each tag of an example on the page of sealed messages promises. */
export const TIMELOCK_CHECKS: Readonly<Record<string, SpecCheck>> = {
  'json drand-chain': (text) => {
    const chain = beaconChainParser(sha256)(JSON.parse(text) as WireValue, 'chain');
    assert.deepEqual(chain, QUICKNET);
  },
  'json sealed': (text, page) => {
    const { round, signature, message, sigma, sealed } = JSON.parse(text) as {
      readonly round: number;
      readonly signature: string;
      readonly message: string;
      readonly sigma: string;
      readonly sealed: string;
    };
    assert.equal(verifyBeacon(QUICKNET, round, parseHex(signature)), true);
    const made = sealTo(QUICKNET, round).seal(parseHex(message), parseHex(sigma));
    assert.equal(formatHex(made), sealed);
    assert.deepEqual(openSealed(parseHex(signature), parseHex(sealed)), parseHex(message));
    // What an implementer compares on the way.
    const onTheWay = page.replaceAll(text, '');
    assert.ok(onTheWay.includes(roundPoint(round).toHex(true)), 'H(n)');
    const h4 = made.slice(128).map((byte, i) => byte ^ (parseHex(message)[i] as number));
    assert.ok(onTheWay.includes(formatHex(h4)), 'H4');
    const h2 = made.slice(96, 128).map((byte, i) => byte ^ (parseHex(sigma)[i] as number));
    assert.ok(onTheWay.includes(formatHex(h2)), 'H2');
  },
};
