/** What a statement takes. Counts travel as text, and bytes as bytes. */
export type SqlValue = string | number | boolean | Uint8Array | null;

/** What came back when the server was ready for the next statement, which is after the commit. */
export interface SqlAnswer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How many rows the statement changed or gave. */
  readonly count: number;
  /** Notices and warnings of the server since the statement was sent, as text. */
  readonly notices: readonly string[];
}

/** A server that may be the one that takes writes. */
export interface ServerAddress {
  /** A name, an IP address, or the folder of a Unix socket, which begins with a slash. */
  readonly host: string;
  readonly port: number;
}

/** One connection to one server. It never connects again: what is lost stays lost. */
export interface SqlSession {
  /**
   * Runs one statement, as a transaction of its own. One at a time. Rejects with what went wrong, whether or not the
   * statement had an effect.
   */
  readonly query: (text: string, values?: readonly SqlValue[]) => Promise<SqlAnswer>;
  /** Ends the connection at once, whatever is under way. Nothing is cancelled on the server. */
  readonly end: () => void;
}

/** Connects to a server. Rejects if there is no answer in time. */
export type OpenSession = (address: ServerAddress) => Promise<SqlSession>;

/** An address as people write it. */
export function addressText({ host, port }: ServerAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Parses `host:port`, `[ipv6]:port`, or the folder of a Unix socket with an optional port; undefined if it is none. */
export function parseAddress(text: string): ServerAddress | undefined {
  const match =
    /^(?:\[(?<six>[0-9A-Fa-f:.]+)\]|(?<host>\/[^\s:@]+|[A-Za-z0-9._-]+))(?::(?<port>[0-9]{1,5}))?$/.exec(
      text,
    )?.groups;
  const host = match?.['six'] ?? match?.['host'];
  const port = Number(match?.['port'] ?? 5432);
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port };
}
