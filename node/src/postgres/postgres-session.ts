import { connect, isIP, type Socket } from 'node:net';
import postgres from 'postgres';
import { withDeadline } from '../platform/deadline.ts';
import type { OpenSession, ServerAddress, SqlAnswer, SqlSession, SqlValue } from './session.ts';

/** How a session proves who it is, and how it knows the server. */
export interface SessionOptions {
  readonly database: string;
  readonly user: string;
  /** Asked for each time, so that a password file may be replaced. Undefined where the server asks for none. */
  readonly password: () => Promise<string | undefined>;
  /** The certificates that may vouch for a server. null: no TLS. Undefined in `ca`: those of the system. */
  readonly tls: { readonly ca: string | undefined } | null;
  /** The name under which the server lists the session. */
  readonly name: string;
  /** Milliseconds for connecting. */
  readonly timeoutMs: number;
}

/** What a query of the client library resolves to, as far as it is used. */
type Rows = readonly Readonly<Record<string, unknown>>[] & { readonly count: number | null };

/**
 * Sessions by the client library `postgres`. It resolves a statement at ReadyForQuery, which comes after the commit of
 * the implicit transaction (PostgreSQL, Frontend/Backend Protocol, Extended Query): a test against a server holds that.
 * It would connect again by itself, so that it is given one socket, and never a second one.
 */
export function postgresSessions(options: SessionOptions): OpenSession {
  return async (address) => {
    const password = await options.password();
    const socket = await connected(address, options.timeoutMs);
    let given = false;
    let notices: string[] = [];
    const sql = postgres({
      host: address.host,
      port: address.port,
      database: options.database,
      username: options.user,
      password: password ?? '',
      ssl: options.tls === null ? false : tlsOf(address, options.tls.ca),
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      fetch_types: false,
      // Parameters of the environment, such as PGOPTIONS, have no say.
      connection: { application_name: options.name },
      connect_timeout: Math.ceil(options.timeoutMs / 1000),
      onnotice: ({ severity = '', code = '', message = '' }) => {
        notices.push(`${severity} ${code}: ${message}`);
      },
      socket: () => {
        if (given) throw new Error('the connection is lost');
        given = true;
        return socket;
      },
    } as postgres.Options<Record<string, never>>);
    const session: SqlSession = {
      async query(text: string, values: readonly SqlValue[] = []): Promise<SqlAnswer> {
        notices = [];
        const own = notices;
        const rows = (await sql.unsafe(text, values as SqlValue[] as never[], {
          prepare: values.length > 0,
        })) as unknown as Rows;
        return { rows: [...rows], count: rows.count ?? 0, notices: own };
      },
      end() {
        void sql.end({ timeout: 0 }).catch(() => undefined);
        socket.destroy();
      },
    };
    try {
      await withDeadline(options.timeoutMs, 'database', () => session.query('select 1'));
      return session;
    } catch (error) {
      session.end();
      throw error;
    }
  };
}

function tlsOf({ host }: ServerAddress, ca: string | undefined): object {
  // A certificate is compared with the name, or with the address where there is none (RFC 6125).
  const known = isIP(host) === 0 ? { servername: host } : { host };
  return { ...known, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
}

function connected({ host, port }: ServerAddress, timeoutMs: number): Promise<Socket> {
  const socket = host.startsWith('/')
    ? connect({ path: `${host}/.s.PGSQL.${port}` })
    : connect({ host, port, noDelay: true, keepAlive: true });
  return withDeadline(
    timeoutMs,
    'database',
    () =>
      new Promise<Socket>((resolve, reject) => {
        socket.once('error', reject);
        socket.once('connect', () => {
          socket.off('error', reject);
          resolve(socket);
        });
      }),
  ).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
}
