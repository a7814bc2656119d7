import { formatScaled } from '@assay/core/number/rational';

/** Decimals of a SOL. */
const SOL_DECIMALS = 9;

/** Lamports as people write them, such as `0.0317 SOL`; exact. */
export function sol(lamports: bigint): string {
  const text = formatScaled(lamports, SOL_DECIMALS).replace(/\.?0+$/, '');
  return `${text} SOL`;
}

/** Who can replace a program, in words. */
export function authorityText(authority: string | null): string {
  return authority === null
    ? 'burned: nobody can replace the program, for good'
    : `${authority} can replace the program, and with it everything that it says`;
}

/** JSON for scripts. A slot is a number; lamports, which may be more than a double holds, are text. */
export function chainJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each),
    2,
  );
}
