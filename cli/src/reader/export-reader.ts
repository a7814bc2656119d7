import { join } from 'node:path';
import { INDICES_PATH, matchFolded } from '@assay/core/answer/routes';
import { equalBytes } from '@assay/core/bytes/bytes';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import { readPlainFile } from './plain-file.ts';

const OTS_QUERY = '?format=ots';

/**
 * The file of a path in a static export. API answers get an extension, because a file and a folder cannot share
 * a name. For a signed void the extension contains the status. The file of a proof has the extension of its
 * kind.
 */
export function exportFile(path: string, status: 200 | 404): string {
  if (path.startsWith('/proof/') && path.endsWith(OTS_QUERY)) {
    return `${path.slice(1, -OTS_QUERY.length)}.ots`;
  }
  const plain = path.slice(1).replace(/\?.*/, '');
  const found = matchFolded(path);
  if (found === undefined) return plain;
  const asked = found.given[found.route.query ?? ''];
  // Beside the files of the indexes, one of which may have that name.
  const between = found.route.pattern === INDICES_PATH ? '.' : '/';
  const name = asked === undefined ? plain : `${plain}${between}${asked}`;
  if (/\.[a-z]+$/.test(plain)) return name;
  return `${name}${status === 404 ? '.problem' : ''}.json`;
}

/** A file that every export has, which distinguishes a static host from a node. */
export const EXPORT_MARK = '/assay-export.json';
export const EXPORT_MARK_TEXT = '{"type":"assay-export/1"}\n';

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
