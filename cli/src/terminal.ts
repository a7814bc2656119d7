/** Where a command writes, and what it knows of its reader. */
export interface Terminal {
  readonly out: (line: string) => void;
  readonly error: (line: string) => void;
  /** Whether standard output is a terminal that shows colour. */
  readonly colour: boolean;
  /** Writes a line that replaces the one before; undefined where nobody watches. */
  readonly progress: ((line: string) => void) | undefined;
}

export function processTerminal(): Terminal {
  const plain = process.env['NO_COLOR'] !== undefined && process.env['NO_COLOR'] !== '';
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    error: (line) => void process.stderr.write(`${line}\n`),
    colour: process.stdout.isTTY && !plain,
    progress: process.stderr.isTTY
      ? (line) => void process.stderr.write(`\r\u001b[2K${line}`)
      : undefined,
  };
}

type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold';

const CODES: Readonly<Record<Colour, readonly [number, number]>> = {
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
  dim: [2, 22],
  bold: [1, 22],
};

/** `text` in a colour where the terminal shows one. */
export function paint(terminal: Terminal, colour: Colour, text: string): string {
  const [on, off] = CODES[colour];
  return terminal.colour ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}

/** Progress of work that lasts over a second; silent before that. */
export function slowProgress(
  terminal: Terminal,
  nowMs: () => number,
): {
  readonly tell: (done: number, total: number, what: string) => void;
  readonly end: () => void;
} {
  const started = nowMs();
  let last = 0;
  let shown = false;
  return {
    tell(done, total, what) {
      const now = nowMs();
      if (terminal.progress === undefined || now - started < 1000 || now - last < 100) return;
      last = now;
      shown = true;
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      terminal.progress(`${what}: ${done} of ${total} (${percent} %)`);
    },
    end() {
      if (shown) terminal.progress?.('');
    },
  };
}
