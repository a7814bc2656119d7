import { join } from 'node:path';
import { EXPORT_MARK, EXPORT_MARK_TEXT, exportFile } from '@assay/core/answer/copy/export-file';
import {
  answerPath,
  type Catalogue,
  cataloguePath,
  type Listing,
  listingPath,
  parseCatalogue,
  parseListing,
  placeOf,
} from '@assay/core/answer/copy/catalogue';
import { faultCode } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
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
  return {
    ...filesReader((name) => readPlainFile(join(folder, name), MAX_PAGE_BYTES)),
    local: true,
  };
}

/**
 * Reads the files of a static copy. One that grows while it is read has a catalogue of its answers for each size, of
 * which the one for the checkpoint that was read last holds; others have each answer under its plain name.
 */
function filesReader(read: (name: string) => Promise<Uint8Array | undefined>): LogReader {
  let catalogue: Promise<CopiedAnswers | undefined> = Promise.resolve(undefined);
  const answer = async (name: string): Promise<Uint8Array | undefined> => {
    const answers = await catalogue;
    return answers === undefined ? read(name) : answers.read(name);
  };
  return {
    live: false,
    reports: async () => (await catalogue)?.reports,
    async get(path): Promise<Answer> {
      if (isWhole(path)) {
        const body = await read(path.slice(1));
        if (path === '/checkpoint' && body !== undefined) {
          catalogue = CopiedAnswers.open(read, sizeIn(body));
          // Whoever asks for an answer gets the error.
          catalogue.catch(() => undefined);
        }
        if (body === undefined) return { status: 404, body: NOTHING, logSize: undefined };
        return { status: 200, body, logSize: undefined };
      }
      const found = await answer(exportFile(path, 200));
      if (found !== undefined) return { status: 200, body: found, logSize: undefined };
      const name = exportFile(path, 404);
      const problem = name === exportFile(path, 200) ? undefined : await answer(name);
      return { status: 404, body: problem ?? NOTHING, logSize: undefined };
    },
  };
}

const NOTHING = new Uint8Array(0);

/** Whether a path is that of a file in every copy, whatever the size of the log. */
function isWhole(path: string): boolean {
  return /^\/(?:checkpoint$|tile\/|blob\/|pack\/|settlement\/)/.test(path);
}

/** The size of the log that a checkpoint names; undefined for bytes that are none: whoever verifies it says so. */
function sizeIn(note: Uint8Array): number | undefined {
  return parsed((bytes) => parseCheckpoint(parseNote(bytes).text), note)?.size;
}

/** The answers for one size of a log, by a catalogue. */
class CopiedAnswers {
  /** Undefined for a catalogue that cannot be read. */
  readonly reports: number | undefined;
  readonly #read: (name: string) => Promise<Uint8Array | undefined>;
  readonly #folders: ReadonlyMap<string, HashHex>;
  readonly #listings = new Map<string, Promise<Listing>>();

  private constructor(
    read: (name: string) => Promise<Uint8Array | undefined>,
    { reports, folders }: Pick<Catalogue, 'folders'> & { readonly reports: number | undefined },
  ) {
    this.reports = reports;
    this.#read = read;
    this.#folders = folders;
  }

  /** Undefined where there is no catalogue for that size. One that cannot be read names no answers. */
  static async open(
    read: (name: string) => Promise<Uint8Array | undefined>,
    size: number | undefined,
  ): Promise<CopiedAnswers | undefined> {
    const bytes = size === undefined ? undefined : await read(cataloguePath(size));
    if (bytes === undefined) return undefined;
    const catalogue = parsed(parseCatalogue, bytes);
    if (catalogue !== undefined && catalogue.size === size)
      return new CopiedAnswers(read, catalogue);
    return new CopiedAnswers(read, { reports: undefined, folders: new Map() });
  }

  async read(file: string): Promise<Uint8Array | undefined> {
    const { folder, name } = placeOf(file);
    const hash = this.#folders.get(folder);
    if (hash === undefined) return undefined;
    const listing = this.#listings.get(folder) ?? this.#listing(hash);
    this.#listings.set(folder, listing);
    const found = (await listing).get(name);
    return found === undefined ? undefined : this.#read(answerPath(found));
  }

  async #listing(hash: HashHex): Promise<Listing> {
    const bytes = await this.#read(listingPath(hash));
    return (bytes && parsed(parseListing, bytes)) ?? new Map();
  }
}

/** What bytes of somebody else say; undefined where they do not have the form. */
function parsed<T>(parse: (bytes: Uint8Array) => T, bytes: Uint8Array): T | undefined {
  try {
    return parse(bytes);
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}
