import { join } from 'node:path';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import type { Answer, LogReader } from '@assay/verifier/log-reader';
import { readPlainFile } from './plain-file.ts';

/**
 * The file of a path in a static export. API answers get an ending, since a file and a folder cannot
 * share a name; an answer that is a signed void keeps its status in the ending.
 */
export function exportFile(path: string, status: 200 | 404): string {
  const [plain = '', query] = path.slice(1).split('?period=');
  const period = query === undefined ? '' : `/${query}`;
  const api = plain.startsWith('indices') && !plain.endsWith('.csv');
  const ending = api ? (status === 404 ? '.problem.json' : '.json') : '';
  return `${plain}${period}${ending}`;
}

/** Reads a log from a static export. */
export function exportReader(folder: string): LogReader {
  const read = (name: string): Promise<Uint8Array | undefined> =>
    readPlainFile(join(folder, name), MAX_PAGE_BYTES);
  return {
    live: false,
    async get(path): Promise<Answer> {
      for (const status of [200, 404] as const) {
        const body = await read(exportFile(path, status));
        if (body !== undefined) return { status, body, logSize: undefined };
      }
      return { status: 404, body: new Uint8Array(0), logSize: undefined };
    },
  };
}
