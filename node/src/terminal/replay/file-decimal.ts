import { MAX_NUMBER_DIGITS } from '@assay/core/limits';

/** The exact value of a number in a file: `digits` × 10^-`decimals`. The digits are a bigint above 2^53 - 1. */
export interface FileDecimal {
  digits: number | bigint;
  decimals: number;
}

const FORM = /^(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads a decimal without a sign, with or without an exponent: `1.20e-3` is 0.00120 and `1.2E+7` is 12000000.
 * Undefined for any other text, and for a number that without its exponent has more than `MAX_NUMBER_DIGITS`
 * characters.
 */
export function parseFileDecimal(text: string): FileDecimal | undefined {
  const [, whole, part = '', exponent = '0'] = FORM.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const places = part.length - Number(exponent);
  const decimals = Math.max(0, places);
  const exact = BigInt(whole + part) * 10n ** BigInt(decimals - places);
  const digits = exact <= Number.MAX_SAFE_INTEGER ? Number(exact) : exact;
  const read = { digits, decimals };
  return formatFileDecimal(read).length <= MAX_NUMBER_DIGITS ? read : undefined;
}

/** The number as a plain decimal with all of its decimals. */
export function formatFileDecimal({ digits, decimals }: FileDecimal): string {
  const text = digits.toString().padStart(decimals + 1, '0');
  if (decimals === 0) return text;
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

const TEN_TO = Array.from({ length: MAX_NUMBER_DIGITS }, (_, i) => 10 ** i);

/** The nearest double, or one beside it. */
export function roughly({ digits, decimals }: FileDecimal): number {
  return Number(digits) / (TEN_TO[decimals] as number);
}
