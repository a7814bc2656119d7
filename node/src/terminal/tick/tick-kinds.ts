import type { Kind } from '@assay/core/kind/kinds';
import { isTerminalKind } from '@assay/verifier/terminal/terminal-kinds';

const STUDIES: ReadonlySet<string> = new Set<Kind>(['study/1', 'study/2']);

/** Whether an entry of this kind bears on ticks or follows from one; a study only sums them up. */
export function bearsOnTicks(kind: string): boolean {
  return isTerminalKind(kind) && !STUDIES.has(kind);
}
