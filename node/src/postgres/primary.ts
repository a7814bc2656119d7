import { Fault, messageOf } from '@assay/core/fault';
import { withDeadline } from '../platform/deadline.ts';
import { FIND_TABLES, LOOK_AT_SERVER, NAME_SESSION, SETTINGS, TABLES } from './schema.ts';
import { addressText, type OpenSession, type ServerAddress, type SqlSession } from './session.ts';

/** Where the guard's database may be, and what is asked of it. */
export interface ServerOptions {
  /** All servers of which one takes writes, in the order in which they are named in a message. */
  readonly addresses: readonly ServerAddress[];
  readonly openSession: OpenSession;
  /** Whether each commit must wait for a synchronous standby. */
  readonly needsStandby: boolean;
  /** Milliseconds after which a statement's outcome counts as not known. */
  readonly timeoutMs: number;
  /** A name that no other session has. */
  readonly makeName: () => string;
}

/** A session with the one server that takes writes. */
export interface Primary {
  readonly address: ServerAddress;
  readonly session: SqlSession;
  /** The name by which a statement asks whether it runs in this session. */
  readonly name: string;
}

/** What a server said of itself. */
export type ServerState = 'primary' | 'standby' | 'silent';

interface Looked {
  readonly address: ServerAddress;
  readonly state: ServerState;
  /** When the server started: the same for two addresses of one server. */
  readonly started: string;
  readonly session: SqlSession | undefined;
  readonly refusal: Fault | undefined;
  readonly reason: string;
}

/**
 * Looks at every server of the list and keeps the session with the one that is in no recovery. Throws `unreachable` if there is
 * none, and `guard_unsafe` if there are two, or if commits there would not count.
 */
export async function openPrimary(options: ServerOptions): Promise<Primary> {
  const all = await Promise.all(options.addresses.map((each) => lookAt(options, each)));
  const primaries = all.filter(({ state }) => state === 'primary');
  const [first, ...others] = primaries;
  const end = (kept: Looked | undefined): void => {
    for (const each of all) if (each !== kept) each.session?.end();
  };
  if (first?.session === undefined) {
    end(undefined);
    throw new Fault('unreachable', 'head guard', {
      expected: 'a database that is in no recovery',
      found: all.map(({ address, reason }) => `${addressText(address)}: ${reason}`).join('; '),
    });
  }
  if (others.some(({ started }) => started !== first.started)) {
    end(undefined);
    throw unsafe(
      'one database that takes writes',
      primaries.map(({ address }) => addressText(address)).join(' and '),
    );
  }
  end(first);
  const { session, address, refusal } = first;
  const name = options.makeName();
  try {
    if (refusal !== undefined) throw refusal;
    const bounded = inTime(session, options.timeoutMs);
    await requireTables(bounded);
    await bounded.query(NAME_SESSION, [name]);
    return { address, session, name };
  } catch (error) {
    session.end();
    if (error instanceof Fault && error.code !== 'timeout') throw error;
    throw new Fault('unreachable', 'head guard', { found: messageOf(error) });
  }
}

/** Which of the servers take writes, and which cannot be reached. Nothing is changed. */
export async function serverStates(
  options: ServerOptions,
): Promise<readonly { readonly address: ServerAddress; readonly state: ServerState }[]> {
  const all = await Promise.all(options.addresses.map((each) => lookAt(options, each)));
  for (const each of all) each.session?.end();
  return all.map(({ address, state }) => ({ address, state }));
}

async function lookAt(
  { openSession, needsStandby, timeoutMs }: ServerOptions,
  address: ServerAddress,
): Promise<Looked> {
  const none = { address, started: '', refusal: undefined };
  let session: SqlSession | undefined;
  try {
    session = await openSession(address);
    const bounded = inTime(session, timeoutMs);
    for (const each of SETTINGS(timeoutMs)) await bounded.query(each);
    const [row = {}] = (await bounded.query(LOOK_AT_SERVER)).rows;
    if (row['recovery'] !== false) {
      session.end();
      return { ...none, state: 'standby', session: undefined, reason: 'it is in recovery' };
    }
    const started = String(row['started']);
    const refusal = refusalOf(row, needsStandby);
    return { address, started, state: 'primary', session, refusal, reason: '' };
  } catch (error) {
    session?.end();
    return { ...none, state: 'silent', session: undefined, reason: messageOf(error) };
  }
}

function refusalOf(
  row: Readonly<Record<string, unknown>>,
  needsStandby: boolean,
): Fault | undefined {
  if (row['fsync'] !== 'on') return unsafe('fsync on', 'off');
  const commits = row['commits'];
  if (commits !== 'on' && commits !== 'remote_apply') {
    return unsafe('synchronous_commit on or remote_apply', String(commits));
  }
  if (row['messages'] !== 'warning') return unsafe('warnings', String(row['messages']));
  if (needsStandby && row['standbys'] === '') {
    return unsafe(
      'a standby in synchronous_standby_names, or "standby": "none" in head_guard for a server without one',
      'none',
    );
  }
  return undefined;
}

async function requireTables(session: SqlSession): Promise<void> {
  let found = await tablesOf(session);
  const missing = Object.keys(TABLES).filter((name) => !found.has(name));
  for (const name of missing) await session.query(TABLES[name] as string);
  if (missing.length > 0) found = await tablesOf(session);
  for (const name of Object.keys(TABLES)) {
    if (found.get(name) === 'p') continue;
    throw unsafe(`the table ${name} to be a permanent one`, found.get(name) ?? 'none');
  }
}

async function tablesOf(session: SqlSession): Promise<ReadonlyMap<string, string>> {
  const { rows } = await session.query(FIND_TABLES);
  return new Map(rows.map((row) => [String(row['name']), String(row['persistence'])]));
}

function unsafe(expected: string, found: string): Fault {
  return new Fault('guard_unsafe', 'head guard', { expected, found });
}

/** A session whose statements end after a time, whatever the server does. */
function inTime(session: SqlSession, timeoutMs: number): SqlSession {
  return {
    query: (text, values) =>
      withDeadline(timeoutMs, 'head guard', () => session.query(text, values)),
    end: () => session.end(),
  };
}
