import { command, type Table } from './command.ts';
import { completionScript, SHELLS } from './completion.ts';
import { findCommand, loadAll, type Program } from './dispatch.ts';
import { EXIT, UsageError } from './exit.ts';
import { helpText } from './help.ts';
import { manualText } from './manual.ts';
import { type Page, pageOf } from './page.ts';
import { listed } from './parse.ts';
import { didYouMean } from './suggestion.ts';

/** The commands about other commands, for `program`. */
export function ownCommands(program: () => Program): Table {
  const operands = {
    words: {
      value: 'COMMAND',
      about: 'The command, such as verify or chain read. Without one, all are listed.',
      many: true,
      optional: true,
      choices: 'commands',
    },
  } as const;
  const pageAt = async (words: readonly string[]): Promise<Page> => {
    if (words.length === 0) return pageOf(await loadAll(program()));
    const { found, rest } = await findCommand(program().table, [...words, '--help']);
    if (rest.length > 1)
      throw new UsageError(`there is no command ${JSON.stringify(words.join(' '))}`);
    return pageOf(found);
  };
  return {
    help: async () =>
      command({
        name: 'help',
        summary: 'Show the help of a command.',
        about: 'Shows what a command does, and the options that it takes, as COMMAND --help does.',
        operands,
        options: {},
        examples: {
          'assay help verify': 'Show what assay verify does.',
        },
        run: async ({ words }, terminal) => {
          terminal.out(helpText(await pageAt(words), program().helpWidth));
          return EXIT.ok;
        },
      }),
    completion: async () =>
      command({
        name: 'completion',
        summary: 'Print the script that completes command lines in your shell.',
        about: `Prints a script for a shell. With it the Tab key completes the commands of assay, their options, and the names of files.`,
        operands: {
          shell: { value: 'SHELL', about: 'The shell: bash, zsh or fish.', choices: SHELLS },
        },
        options: {},
        examples: {
          'source <(assay completion bash)': 'Complete in this shell, bash or zsh.',
          'assay completion fish > ~/.config/fish/completions/assay.fish':
            'Complete in every fish from now on.',
        },
        run: async ({ shell }, terminal) => {
          const known = SHELLS.find((each) => each === shell);
          if (known === undefined) {
            const meant = didYouMean(shell, SHELLS) || `; there is ${listed(SHELLS, 'and')}`;
            throw new UsageError(`there is no completion for ${JSON.stringify(shell)}${meant}`);
          }
          terminal.out(completionScript(known, await loadAll(program())));
          return EXIT.ok;
        },
      }),
    man: async () =>
      command({
        name: 'man',
        summary: 'Print the manual page of a command.',
        about:
          'Prints a manual page in the format that the program man reads: assay man verify | man -l - shows it.',
        operands,
        options: {},
        examples: {
          'assay man verify > assay-verify.1': 'Keep the manual page of assay verify in a file.',
          'assay man verify | man -l -': 'Read it at once, where man comes from man-db.',
        },
        run: async ({ words }, terminal) => {
          terminal.out(manualText(await pageAt(words), await program().version()));
          return EXIT.ok;
        },
      }),
  };
}
