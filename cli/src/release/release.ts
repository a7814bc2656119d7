import { parseNoteKey } from '@assay/core/log/note';
import { messageOf } from '@assay/core/fault';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { printable } from '@assay/verifier/verdict/printable';
import { command, type Given, group, type Group } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { flag, option } from '../command/option.ts';
import type { Terminal } from '../command/tty.ts';
import { nodeEnvironment } from '../process/node-environment.ts';
import { checkRelease } from './release-check.ts';

const OPTIONS = {
  key: option('VKEY', { required: true })`
    The verifier key of whoever publishes Assay, which you must know from elsewhere.`,
  json: flag`
    Print the result as JSON.`,
} as const;

const checkCommand = command({
  name: 'release check',
  summary: 'Check the files of a release of Assay itself.',
  about: `Checks the signature of the list release.txt in a folder, and compares every file of the folder with it.

    The list names the commit that the release was built from, and each file with its SHA-256. A file that is missing, that differs or that the list does not name is a finding.`,
  operands: {
    folder: { value: 'FOLDER', about: 'The folder that has release.txt and the files.' },
  },
  options: OPTIONS,
  exits: {
    0: 'The key signed the list, and every file is as the list says.',
    1: 'There are findings.',
  },
  examples: {
    'assay release check ./assay-0.2.0 --key VKEY':
      'Check what was downloaded before installing it.',
  },
  run: check,
});

export const releaseCommand: Group = group({
  name: 'release',
  summary: 'Check a release of Assay before it is installed.',
  about: 'Works on releases of Assay, which are folders of packages with a signed list.',
  commands: [checkCommand],
});

async function check(
  { folder, key: vkey, json }: Given<typeof OPTIONS> & { readonly folder: string },
  terminal: Terminal,
): Promise<ExitCode> {
  const key = keyOf(vkey);
  const result = await checkRelease(folder, key, nodeEnvironment());
  const { version, commit, files, findings } = result;
  if (json) terminal.out(JSON.stringify(result));
  else {
    const signed = findings.some(({ code }) => code === 'bad_signature') ? 'not signed' : 'signed';
    terminal.out(
      `Assay ${version} of commit ${commit}: ${signed} by ${key.name}, ${files.length} of its files as listed`,
    );
    for (const { code, file, expected, found } of findings) {
      terminal.out(
        `  ${code}  ${printable(file)}: expected ${expected}, found ${printable(found)}`,
      );
    }
  }
  return findings.length === 0 ? EXIT.ok : EXIT.findings;
}

/** Throws `UsageError` for a key that cannot be one. */
function keyOf(text: string): ReturnType<typeof parseNoteKey> {
  try {
    return parseNoteKey(nodeSha256, text);
  } catch (error) {
    throw new UsageError(`--key: ${messageOf(error)}`);
  }
}
