import {
  CONFIRM,
  DROP,
  FIND_TABLES,
  FOLLOWERS,
  FORGET,
  LOOK,
  LOOK_AT_SERVER,
  MOVE,
  NAME_SESSION,
  PENDING,
  TAKE,
  TABLES,
} from '@assay/node/postgres/schema';
import type { SqlAnswer, SqlSession, SqlValue } from '@assay/node/postgres/session';

/** What happens to the next statement of a kind. */
export type Script =
  /** It is committed, and the answer says something besides. */
  | { readonly kind: 'notice'; readonly text: string }
  /** It is committed, and the connection is lost before the answer. */
  | { readonly kind: 'lost after' }
  /** The connection is lost before it is run. */
  | { readonly kind: 'lost before' }
  /** There is no answer. */
  | { readonly kind: 'silence' };

interface Row {
  epoch: number;
  writer: string;
  size: number;
  root: Uint8Array | null;
}

interface Batch {
  readonly from_size: number;
  readonly from_root: Uint8Array | null;
  readonly size: number;
  readonly root: Uint8Array;
  readonly entries: Uint8Array;
}

const bytes = (value: SqlValue | undefined): Uint8Array | null =>
  (value as Uint8Array | null) ?? null;
const same = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0);

/**
 * A database that knows the statements of the head guard, each by its text, and does what PostgreSQL does with them. What it
 * does to a session is scripted. That the texts themselves do this is shown against a server, in the interop tests.
 */
export class FakeDatabase {
  readonly rows = new Map<string, Row>();
  readonly pending = new Map<string, Batch[]>();
  readonly followers = new Map<string, { size: number; age: number }>();
  readonly tables = new Map<string, string>();
  readonly settings = {
    recovery: false,
    standbys: 'second',
    commits: 'on',
    fsync: 'on',
    messages: 'warning',
  };
  started = '2026-01-01';
  readonly #scripts = new Map<string, Script[]>();
  readonly ended: SqlSession[] = [];
  opened = 0;

  /** What happens to the next statement with this text. */
  script(text: string, script: Script): void {
    this.#scripts.set(text, [...(this.#scripts.get(text) ?? []), script]);
  }

  /** Nothing more happens to statements with this text. */
  unscript(text: string): void {
    this.#scripts.delete(text);
  }

  readonly open = (): Promise<SqlSession> => {
    this.opened += 1;
    let name: string | undefined;
    let isLost = false;
    const session: SqlSession = {
      query: async (text, values = []) => {
        if (isLost) throw new Error('the connection is lost');
        const script = this.#scripts.get(text)?.shift();
        if (script?.kind === 'lost before') {
          isLost = true;
          throw new Error('the connection is lost');
        }
        if (script?.kind === 'silence') return new Promise<never>(() => undefined);
        if (text === NAME_SESSION) name = String(values[0]);
        const answer = this.#answer(text, values, name);
        if (script?.kind === 'lost after') {
          isLost = true;
          throw new Error('the connection is lost');
        }
        return script?.kind === 'notice' ? { ...answer, notices: [script.text] } : answer;
      },
      end: () => {
        isLost = true;
        this.ended.push(session);
      },
    };
    return Promise.resolve(session);
  };

  #answer(text: string, values: readonly SqlValue[], name: string | undefined): SqlAnswer {
    const log = String(values[0]);
    switch (text) {
      case LOOK_AT_SERVER:
        return given([{ ...this.settings, started: this.started }]);
      case FIND_TABLES:
        return given(
          [...this.tables].map(([table, persistence]) => ({ name: table, persistence })),
        );
      case LOOK:
        return given([this.rows.get(log)].filter((row) => row !== undefined));
      case TAKE:
        return this.#take(values, name);
      case MOVE:
        return this.#move(values, name);
      case PENDING:
        return given((this.pending.get(log) ?? []).toSorted((a, b) => a.size - b.size));
      case FOLLOWERS:
        return given([...this.followers].map(([each, row]) => ({ name: each, ...row })));
      case DROP:
        return this.#drop(values);
      case CONFIRM:
        this.followers.set(String(values[1]), { size: Number(values[2]), age: 0 });
        return given([{ covered: this.#first(log) <= Number(values[2]) }]);
      case FORGET:
        this.followers.delete(String(values[1]));
        return given([]);
      default: {
        const table = Object.entries(TABLES).find(([, each]) => each === text)?.[0];
        if (table !== undefined) this.tables.set(table, 'p');
        return given([]);
      }
    }
  }

  #isSafe([session, needsStandby]: readonly SqlValue[], name: string | undefined): boolean {
    const { commits, messages, standbys } = this.settings;
    return (
      session === name &&
      ['on', 'remote_apply'].includes(commits) &&
      messages === 'warning' &&
      (needsStandby !== true || standbys !== '')
    );
  }

  #take(values: readonly SqlValue[], name: string | undefined): SqlAnswer {
    const [, , log, writer, from] = values.map(String);
    if (!this.#isSafe(values, name)) return given([]);
    const row = this.rows.get(log as string);
    if (row !== undefined && values[4] !== null && row.writer !== from) return given([]);
    const next: Row = {
      epoch: (row?.epoch ?? 0) + 1,
      writer: writer as string,
      size: row?.size ?? 0,
      root: row?.root ?? null,
    };
    this.rows.set(log as string, next);
    return given([next]);
  }

  #move(values: readonly SqlValue[], name: string | undefined): SqlAnswer {
    const [, , log, epoch, writer, fromSize, fromRoot, size, root, entries] = values;
    const row = this.rows.get(String(log));
    const isOwn =
      row !== undefined &&
      this.#isSafe(values, name) &&
      row.epoch === Number(epoch) &&
      row.writer === writer &&
      row.size === Number(fromSize) &&
      same(row.root, bytes(fromRoot));
    if (!isOwn) return given([]);
    row.size = Number(size);
    row.root = bytes(root);
    const batch: Batch = {
      from_size: Number(fromSize),
      from_root: bytes(fromRoot),
      size: Number(size),
      root: bytes(root) as Uint8Array,
      entries: bytes(entries) as Uint8Array,
    };
    this.pending.set(String(log), [...(this.pending.get(String(log)) ?? []), batch]);
    return { rows: [], count: 1, notices: [] };
  }

  #first(log: string): number {
    return Math.min(...(this.pending.get(log) ?? []).map((each) => each.from_size));
  }

  #drop([log, size, epoch, writer, keep]: readonly SqlValue[]): SqlAnswer {
    const row = this.rows.get(String(log));
    if (row?.epoch !== Number(epoch) || row.writer !== writer) return given([]);
    const left = this.pending.get(String(log)) ?? [];
    const near = [...this.followers.values()].map((each) => each.size);
    const kept = near.filter((each) => Number(size) - each <= Number(keep));
    const floor = Math.min(Number(size), ...kept);
    this.pending.set(
      String(log),
      left.filter((each) => each.size > floor || each.size >= row.size),
    );
    return given([]);
  }
}

function given(rows: readonly object[]): SqlAnswer {
  return {
    rows: rows.map((row) => ({ ...row })) as unknown as SqlAnswer['rows'],
    count: rows.length,
    notices: [],
  };
}
