import { isTerminalKind } from '@assay/verifier/terminal/terminal-kinds';

/** Whether an entry of this kind bears on ticks or follows from one; a study only sums them up. */
export function bearsOnTicks(kind: string): boolean {
  return isTerminalKind(kind) && kind !== 'study/1';
}
