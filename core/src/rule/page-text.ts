import { faultCode } from '../fault.ts';
import { parseUtf8 } from '../bytes/utf8.ts';
import { ReadStopped } from './value.ts';

/** The text of one UTF-8 page. A byte order mark at its start is dropped. */
export function pageText(page: Uint8Array): string {
  try {
    const text = parseUtf8(page);
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } catch (error) {
    if (faultCode(error) === 'bad_utf8') throw new ReadStopped('malformed', 'not UTF-8');
    throw error;
  }
}
