import { chmod, lstat, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { Fault, messageOf } from '@assay/core/fault';
import { errorCode } from '../platform/durable-file.ts';
import { FrameReader, formatFrame } from './signer-frame.ts';
import {
  faultAnswer,
  formatAnswer,
  parseQuestion,
  type SignerAnswer,
  type SignerQuestion,
} from './signer-message.ts';

/** Where a signer listens. */
export type SignerPlace =
  /** A Unix socket that the signer makes, with mode 0600: only its own user reaches it. */
  | { readonly path: string }
  /**
   * A socket that the service manager has made and passed on: systemd's `SocketUser=` gives it to the user of the node,
   * which is another one than the signer's.
   */
  | { readonly fd: number };

export interface SignerServerParts {
  readonly place: SignerPlace;
  /** Throws the fault with which a question is refused. */
  readonly answer: (question: SignerQuestion) => Promise<SignerAnswer>;
  /** Called with each question that was refused or failed. */
  readonly onRefused: (question: SignerQuestion, error: unknown) => void;
}

export interface RunningSigner {
  /** Takes no more questions, waits for those under way, and closes the socket. */
  readonly close: () => Promise<void>;
}

/** How many connections there may be. A node has one. */
const MOST_CONNECTIONS = 16;
/** How many questions of one connection are under way. What comes meanwhile is not read. */
const MOST_UNDER_WAY = 64;

/**
 * Answers the questions of a node over a Unix socket. Who may connect is decided by the rights of the socket's file,
 * and by nothing in the messages. Throws `refused` where another signer listens there.
 */
export async function startSignerServer(parts: SignerServerParts): Promise<RunningSigner> {
  const connections = new Map<Socket, Promise<void>>();
  const server = createServer((socket) => {
    if (connections.size >= MOST_CONNECTIONS) {
      socket.destroy();
      return;
    }
    const served = serve(socket, parts).finally(() => connections.delete(socket));
    connections.set(socket, served);
  });
  await listen(server, parts.place);
  return {
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const socket of connections.keys()) socket.pause();
      for (const socket of connections.keys()) socket.end();
      await Promise.all(connections.values());
      await closed;
    },
  };
}

async function listen(server: Server, place: SignerPlace): Promise<void> {
  if ('fd' in place) return listening(server, () => server.listen({ fd: place.fd }));
  const { path } = place;
  await removeStale(path);
  // The file has no rights for others from its first moment on.
  const before = process.umask(0o177);
  try {
    await listening(server, () => server.listen({ path }));
  } finally {
    process.umask(before);
  }
  await chmod(path, 0o600);
}

function listening(server: Server, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    start();
  });
}

/** Removes the socket of a signer that was killed. Throws `refused` for one that answers, or for another file. */
async function removeStale(path: string): Promise<void> {
  try {
    if (!(await lstat(path)).isSocket()) {
      const expected = 'no file, or the socket of a signer';
      throw new Fault('refused', 'signer', { at: path, expected, found: 'another file' });
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  const answers = await new Promise<boolean>((resolve) => {
    const socket = createConnection({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
  if (answers) {
    throw new Fault('refused', 'signer', {
      at: path,
      expected: 'no other signer',
      found: 'one that answers',
    });
  }
  await rm(path, { force: true });
}

/** Answers what one connection asks until it ends. What is no question ends it. */
function serve(socket: Socket, { answer, onRefused }: SignerServerParts): Promise<void> {
  const reader = new FrameReader();
  const underWay = new Set<Promise<void>>();
  const handle = async (bytes: Uint8Array): Promise<void> => {
    const { id, body } = parseQuestion(bytes);
    let given: SignerAnswer;
    try {
      given = await answer(body);
    } catch (error) {
      onRefused(body, error);
      given = faultAnswer(error);
    }
    if (socket.writable) socket.write(formatFrame(formatAnswer(id, given)));
  };
  return new Promise((resolve) => {
    socket.on('data', (bytes: Buffer) => {
      let questions: readonly Uint8Array[];
      try {
        questions = reader.push(bytes);
      } catch {
        socket.destroy();
        return;
      }
      for (const question of questions) {
        const work = handle(question)
          .catch(() => {
            socket.destroy();
          })
          .finally(() => {
            underWay.delete(work);
            if (underWay.size < MOST_UNDER_WAY) socket.resume();
          });
        underWay.add(work);
      }
      if (underWay.size >= MOST_UNDER_WAY) socket.pause();
    });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      void Promise.all(underWay).then(() => resolve());
    });
  });
}

/** The socket that systemd has passed on (sd_listen_fds(3)); undefined where it has passed none. Throws `bad_config` for more than one. */
export function inheritedSocket(
  environment: Readonly<Record<string, string | undefined>>,
  pid: number,
): SignerPlace | undefined {
  if (environment['LISTEN_PID'] !== String(pid)) return undefined;
  const count = environment['LISTEN_FDS'];
  if (count === '1') return { fd: 3 };
  throw new Fault('bad_config', 'environment', {
    at: 'LISTEN_FDS',
    expected: 'one socket',
    found: messageOf(count),
  });
}
