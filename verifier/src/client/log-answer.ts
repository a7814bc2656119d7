import { Fault } from '@assay/core/fault';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import type { WireValue } from '@assay/core/wire/wire';
import type { LogReader } from '../reader/log-reader.ts';

/** The body of a path that must exist. Throws `not_found`. */
export async function bodyOf(reader: LogReader, path: string): Promise<Uint8Array> {
  const answer = await reader.get(path);
  if (answer.status === 200) return answer.body;
  throw new Fault('not_found', 'log', { at: path, expected: '200', found: `${answer.status}` });
}

/** An answer's JSON, whatever it contains. Throws `malformed`. */
export function parseJson(bytes: Uint8Array, path: string): WireValue {
  try {
    return JSON.parse(parseUtf8(bytes)) as WireValue;
  } catch (cause) {
    throw new Fault('malformed', 'answer', { at: path, expected: 'JSON', cause });
  }
}
