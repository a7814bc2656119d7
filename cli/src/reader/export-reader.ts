import { join } from 'node:path';
import { EXPORT_MARK, EXPORT_MARK_TEXT, exportFile } from '@assay/core/answer/export-file';
import { equalBytes } from '@assay/core/bytes/bytes';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import { readPlainFile } from './plain-file.ts';

/** Whether a server gives the files of an export and not a node's answers. */
export async function isExportHost(server: LogReader): Promise<boolean> {
  const { status, body } = await server.get(EXPORT_MARK);
  return status === 200 && equalBytes(body, formatUtf8(EXPORT_MARK_TEXT));
}

/** Reads a log from a static host of an export. */
export function exportHostReader(server: LogReader): LogReader {
  return filesReader(async (name) => {
    const { status, body } = await server.get(`/${name}`);
    return status === 200 ? body : undefined;
  });
}

/** Reads a log from a static export. */
export function exportReader(folder: string): LogReader {
  return filesReader((name) => readPlainFile(join(folder, name), MAX_PAGE_BYTES));
}

function filesReader(read: (name: string) => Promise<Uint8Array | undefined>): LogReader {
  return {
    live: false,
    async get(path): Promise<Answer> {
      const found = await read(exportFile(path, 200));
      if (found !== undefined) return { status: 200, body: found, logSize: undefined };
      const name = exportFile(path, 404);
      const problem = name === exportFile(path, 200) ? undefined : await read(name);
      return { status: 404, body: problem ?? new Uint8Array(0), logSize: undefined };
    },
  };
}
