import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHex } from '@assay/core/bytes/hex';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { isProfileKey, isProfileSignature } from '@assay/verifier/ed25519/profile';
import type { SignatureCase } from '../src/verifier/fixture/ed25519-cases.ts';
import { readCases, readSpeccheck, readWycheproof } from '../src/verifier/fixture/ed25519-cases.ts';
import { findChromium, withBrowserPage } from './browser.ts';

interface Answer {
  readonly plain: boolean;
  readonly webCrypto: boolean;
}

/** Runs in the page: both verifiers over every case, and how often WebCrypto itself was asked. */
async function verifyAll(
  cases: readonly SignatureCase[],
): Promise<{ answers: Answer[]; asked: number }> {
  const { parseHex: bytes } = await import('@assay/core/bytes/hex');
  const { subtle } = globalThis.crypto;
  const verify = subtle.verify.bind(subtle);
  let asked = 0;
  subtle.verify = (...given) => {
    asked += 1;
    return verify(...given);
  };
  const { verifySignature, verifySignatureAsync } =
    await import('@assay/verifier/ed25519/signature');
  const answers: Answer[] = [];
  for (const { public_key, message, signature } of cases) {
    const given = [bytes(public_key), bytes(message), bytes(signature)] as const;
    answers.push({
      plain: verifySignature(...given),
      webCrypto: await verifySignatureAsync(...given),
    });
  }
  return { answers, asked };
}

test('Chromium accepts what Node accepts', { timeout: 300_000 }, async (t) => {
  const path = findChromium();
  if (path === undefined) return t.skip('Chromium is not here');
  const speccheck = readSpeccheck();
  const wycheproof = readWycheproof();
  if (speccheck === undefined || wycheproof === undefined) {
    t.diagnostic('../shared is not here: the committed vectors alone');
  }
  const cases = [...readCases(), ...(speccheck ?? []), ...(wycheproof ?? [])];
  await withBrowserPage(path, new Map(), async ({ page, origin, requests, errors }) => {
    const { answers, asked } = await page.evaluate(verifyAll, cases);
    assert.deepEqual(errors, []);
    assert.equal(answers.length, cases.length);
    for (const [i, { name, public_key, message, signature, accepted }] of cases.entries()) {
      const inNode = nodeVerifySignature(
        parseHex(public_key),
        parseHex(message),
        parseHex(signature),
      );
      assert.equal(inNode, accepted, name);
      assert.deepEqual(answers[i], { plain: inNode, webCrypto: inNode }, name);
    }
    // Three for the probe, then each case that the checks before it let through: so WebCrypto did it.
    const passed = cases.filter(
      ({ public_key, signature }) =>
        isProfileKey(parseHex(public_key)) && isProfileSignature(parseHex(signature)),
    );
    assert.equal(asked, 3 + passed.length);
    assert.equal(
      requests.every((address) => address.startsWith(`${origin}/`) || address.startsWith('data:')),
      true,
      `the page asked for ${requests.join(' ')}`,
    );
  });
});
