import { createInterface } from 'node:readline';

/** Where a command writes, and what it knows about its reader. */
export interface Terminal {
  readonly out: (line: string) => void;
  readonly error: (line: string) => void;
  /** Whether standard output is a terminal that shows colour. */
  readonly colour: boolean;
  /** The characters of a line. */
  readonly columns: number;
  /** Writes a line that replaces the one before; undefined if nobody watches. */
  readonly progress: ((line: string) => void) | undefined;
  /**
   * Asks a question and resolves to the line of the answer, or to nothing at the end of the input. It is only there
   * if standard input and standard output are both a terminal.
   */
  readonly ask?: (question: string) => Promise<string>;
}

/** The width if standard output is no terminal, and the most that is used of a terminal. */
export const COLUMNS = 96;

/** The characters of a line of help: those of the terminal, or 80 if there is none. */
export function helpWidth(): number {
  return process.stdout.isTTY ? Math.min(process.stdout.columns || 80, 100) : 80;
}

export function processTerminal(): Terminal {
  // It is no error if a reader such as head has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const plain = process.env['NO_COLOR'] !== undefined && process.env['NO_COLOR'] !== '';
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    error: (line) => void process.stderr.write(`${line}\n`),
    colour: process.stdout.isTTY && !plain,
    columns: process.stdout.isTTY
      ? Math.max(60, Math.min(process.stdout.columns, COLUMNS))
      : COLUMNS,
    progress: process.stderr.isTTY
      ? (line) => void process.stderr.write(`\r\u001b[2K${line}`)
      : undefined,
    ...(process.stdin.isTTY && process.stdout.isTTY ? { ask } : {}),
  };
}

async function ask(question: string): Promise<string> {
  process.stdout.write(question);
  // The terminal itself edits the line, so that an interrupt ends the process as it does elsewhere.
  for await (const line of createInterface({ input: process.stdin, terminal: false })) return line;
  return '';
}

type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold';

const CODES: Readonly<Record<Colour, readonly [number, number]>> = {
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
  dim: [2, 22],
  bold: [1, 22],
};

/** `text` in a colour if the terminal shows colours. */
export function paint(terminal: Terminal, colour: Colour, text: string): string {
  const [on, off] = CODES[colour];
  return terminal.colour ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}

/** How often long work writes its progress to a file or a pipe. */
export const LINE_EVERY_MS = 10_000;

/** How long work may say nothing before the wait for it is told. */
const SILENT_MS = 2000;

/**
 * Progress of work that takes over a second; before that it is silent. If nobody watches, it is silent too, or
 * writes a line every `lineEveryMs`.
 */
export function slowProgress(
  terminal: Terminal,
  nowMs: () => number,
  lineEveryMs: number = Number.POSITIVE_INFINITY,
): {
  readonly tell: (done: number, total: number, what: string) => void;
  /** Tells how long something takes that says nothing of itself, from its third second on until the end. */
  readonly wait: (what: string) => void;
  readonly end: () => void;
} {
  const started = nowMs();
  const write = terminal.progress ?? terminal.error;
  const everyMs = terminal.progress === undefined ? lineEveryMs : 100;
  const firstMs = Math.max(1000, terminal.progress === undefined ? lineEveryMs : 0);
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  let timer: NodeJS.Timeout | undefined;
  return {
    wait(what) {
      if (terminal.progress === undefined && lineEveryMs === Number.POSITIVE_INFINITY) return;
      timer = setInterval(() => {
        const now = nowMs();
        if (now - Math.max(started, last) < Math.max(SILENT_MS, everyMs)) return;
        shown = true;
        write(`${what}: ${Math.floor((now - started) / 1000)} s so far`);
      }, 1000);
      timer.unref();
    },
    tell(done, total, what) {
      const now = nowMs();
      if (now - started < firstMs || now - last < everyMs) return;
      last = now;
      shown = true;
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      write(`${what}: ${done} of ${total} (${percent} %)`);
    },
    end() {
      clearInterval(timer);
      if (shown) terminal.progress?.('');
    },
  };
}
