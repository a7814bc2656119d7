import { INDICES_PATH, matchFolded } from '../routes.ts';

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
