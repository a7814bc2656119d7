import type { ToolFailure } from './tool.ts';
import { failed } from './tool-call.ts';
import type { Verification, VouchedNumber, Voucher } from './voucher.ts';
import { vouched } from './voucher.ts';

/** A number as an answer shows it, which a verdict has to confirm. */
export interface ShownNumber {
  readonly ticker: string;
  readonly unit: string;
  readonly period: string;
  readonly status: string;
  /** Exact decimal text. */
  readonly value: string | null;
  readonly settlement: string | null;
  /** Numbers that stand beside their exact text. */
  readonly doubles: readonly (readonly [number | null, string | null])[];
  readonly settleable: boolean;
}

/** What keeps money from settling on a number whoever its reader is. */
const NEVER_SETTLES: ReadonlySet<string> = new Set(['rule', 'quorum']);

const COVERED =
  'The verifier of this machine proved the value, the unit and the status of each number in `numbers` by its bundle, with the key that it was given. Everything else, such as `revised`, `z`, `band`, the network, the texts and names, is as the server states it. The settlement value of a corrected period is left out: it is that of an earlier report.';

/**
 * Proves every number of an answer. `error` where one is not proven, or where the answer shows another value than the
 * proven one: then nothing of the answer may be shown.
 */
export async function indexVerdict(
  voucher: Voucher,
  shown: readonly ShownNumber[],
): Promise<Verification | { readonly error: ToolFailure }> {
  const numbers = new Map<string, VouchedNumber>();
  for (const each of shown) {
    const name = `${each.ticker} ${each.period}`;
    let proven = numbers.get(name);
    if (proven === undefined) {
      const answer = await voucher.number(each.ticker, each.period);
      if (!answer.ok) {
        const text = `${name} was not verified, and nothing of the answer is shown: ${answer.why}`;
        return { error: failed(answer.code, text) };
      }
      proven = vouched(answer);
      numbers.set(name, proven);
    }
    const difference = differenceOf(each, proven);
    if (difference !== undefined) {
      const text = `The server shows ${name} with another ${difference} than its proof, and nothing of the answer is shown.`;
      return { error: failed('differs', text) };
    }
  }
  const list = [...numbers.values()];
  if (list.length > 0) return { verdict: 'verified', why: COVERED, numbers: list };
  return { verdict: null, why: 'There is no number with a report to verify.', numbers: [] };
}

/** What an answer shows otherwise than it is proven; undefined where nothing is. */
function differenceOf(shown: ShownNumber, proven: VouchedNumber): string | undefined {
  if (proven.ticker.toLowerCase() !== shown.ticker.toLowerCase()) return 'index';
  if (proven.period !== shown.period) return 'period';
  if (proven.status !== shown.status) return 'status';
  if (proven.value !== shown.value) return 'value';
  if (proven.unit !== shown.unit) return 'unit';
  if (shown.status === 'final' && shown.settlement !== proven.value) return 'settlement value';
  if (!['final', 'corrected'].includes(shown.status)) {
    if (shown.settlement !== null) return 'settlement value';
    if (shown.settleable) return 'claim that it settles';
  }
  if (shown.settleable && proven.lacks.some((lack) => NEVER_SETTLES.has(lack))) {
    return 'claim that it settles';
  }
  const isSame = shown.doubles.every(
    ([double, text]) => double === null || (text !== null && double === Number(text)),
  );
  return isSame ? undefined : 'number beside its exact text';
}
