import { formatScaled } from '@assay/core/number/rational';

/** The decimals of a SOL. */
const SOL_DECIMALS = 9;

/** Lamports as people write them, such as `0.0317 SOL`; exact. */
export function sol(lamports: bigint): string {
  const text = formatScaled(lamports, SOL_DECIMALS).replace(/\.?0+$/, '');
  return `${text} SOL`;
}

/** Who can replace a program, as text. */
export function authorityText(authority: string | null): string {
  return authority === null
    ? 'burned: nobody can ever replace the program'
    : `${authority} can replace the program, and with it everything in its accounts`;
}

/**
 * JSON for scripts. A slot is a number. Lamports are text, because there may be more than a double can hold.
 */
export function chainJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each),
    2,
  );
}
