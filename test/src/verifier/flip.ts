import assert from 'node:assert/strict';
import type { Verdict } from '@assay/verifier/verdict';

/** Whether the suites run their long form. */
export const LONG: boolean = process.env['ASSAY_TAMPER_LONG'] === '1';

/** Trials of a property: a few by default, many in the long form. */
export function runs(few: number, many: number): { readonly numRuns: number } {
  return { numRuns: LONG ? many : few };
}

/** A copy of `bytes` with one bit the other way round. */
export function flip(bytes: Uint8Array, at: number, bit: number): Uint8Array {
  const out = new Uint8Array(bytes);
  out[at] = (out[at] as number) ^ (1 << bit);
  return out;
}

/** `length` places: all of them in the long form, every `step`th otherwise, each with a bit of its own. */
export function* places(
  length: number,
  step: number,
): Generator<{ readonly at: number; readonly bit: number }> {
  for (let at = 0; at < length; at += LONG ? 1 : step) {
    if (LONG) for (let bit = 0; bit < 8; bit += 1) yield { at, bit };
    else yield { at, bit: (at * 5 + Math.floor(at / 8)) % 8 };
  }
}

/** Found out: neither verified nor left open, with at least one finding that says where. */
export function assertFound(verdict: Verdict, what: string): void {
  if (verdict.outcome === 'findings' && verdict.findings.length > 0) return;
  assert.fail(`${what}: ${verdict.outcome} ${JSON.stringify(verdict, null, 1)}`);
}
