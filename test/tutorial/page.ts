// What a reader of a tutorial does, in order: docs/tutorials/README.md explains how a page writes it.

/** What a page says that the reader does, with the line of the page (from 1) at which it begins. */
export type Step =
  | {
      /** Typed into the reader's terminal, or into another one that stays open until the page ends. */
      readonly kind: 'command' | 'service';
      readonly line: number;
      readonly command: string;
      /** The lines that it prints, in which `…` stands for what differs each time. */
      readonly expected: readonly string[];
    }
  | { readonly kind: 'file'; readonly line: number; readonly name: string; readonly text: string };

interface Block {
  /** What stands behind the three backticks. */
  readonly info: string;
  /** The line of the page, from 1, that its first line is. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** The blocks of a page between two lines of three backticks. */
function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly info: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [i, text] of page.split('\n').entries()) {
    if (!text.startsWith('```')) {
      open?.lines.push(text);
    } else if (open === undefined) {
      open = { info: text.slice(3).trim(), line: i + 2, lines: [] };
    } else {
      blocks.push(open);
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`line ${open.line - 1}: a block that never ends`);
  return blocks;
}

/** The commands of a console block: `$ ` begins one, `> ` goes on with it, and what follows is what it prints. */
function commandsOf({ info, line, lines }: Block): readonly Step[] {
  const kind = info === 'console' ? 'command' : 'service';
  const steps: { kind: typeof kind; line: number; command: string; expected: string[] }[] = [];
  for (const [i, text] of lines.entries()) {
    const last = steps.at(-1);
    if (text.startsWith('$ ')) {
      steps.push({ kind, line: line + i, command: text.slice(2), expected: [] });
    } else if (last === undefined) {
      throw new Error(`line ${line + i}: a console block begins with a command`);
    } else if (text.startsWith('> ') && last.expected.length === 0) {
      last.command += `\n${text.slice(2)}`;
    } else {
      last.expected.push(text);
    }
  }
  if (steps.length === 0) throw new Error(`line ${line}: a console block without a command`);
  return steps;
}

/**
 * The steps of a tutorial. A block is `console`, `console another terminal`, or a file to save: a language and the file's name.
 * Other blocks are for reading alone.
 */
export function stepsOf(page: string): readonly Step[] {
  return blocksOf(page).flatMap((block): readonly Step[] => {
    if (/^console( another terminal)?$/.test(block.info)) return commandsOf(block);
    const name = /^\w+ ([\w-]+\.\w+)$/.exec(block.info)?.[1];
    if (name !== undefined)
      return [{ kind: 'file', line: block.line, name, text: `${block.lines.join('\n')}\n` }];
    if (block.info.startsWith('console'))
      throw new Error(`line ${block.line - 1}: ${block.info} is no kind of block`);
    return [];
  });
}
