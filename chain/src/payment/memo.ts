import { getCompiledTransactionMessageDecoder } from '@solana/kit';

/** The programs whose instructions are memos (SPL Memo, the newer one and version 1): the data of one is its text. */
const MEMO_PROGRAMS: ReadonlySet<string> = new Set([
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]);

export function isMemoProgram(address: string | undefined): boolean {
  return address !== undefined && MEMO_PROGRAMS.has(address);
}

/** Whether the bytes of a message of version 0 or of none have a memo. */
export function hasMemo(message: Uint8Array): boolean {
  try {
    const compiled = getCompiledTransactionMessageDecoder().decode(message);
    if (compiled.version === 1) return false;
    const { staticAccounts, instructions } = compiled;
    return instructions.some((each) => isMemoProgram(staticAccounts[each.programAddressIndex]));
  } catch {
    return false;
  }
}
