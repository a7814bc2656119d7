import { MAX_EVIDENCE_BYTES } from '@assay/core/proof/evidence';
import { Fault, messageOf } from '@assay/core/fault';
import { toHashHex } from '@assay/core/hash/hash';
import { isHex } from '@assay/core/bytes/hex';
import { NOTE_COSIGNATURE, parseNoteKey } from '@assay/core/log/note';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { evidenceTie, type KnownParties } from '@assay/verifier/evidence/evidence-tie';
import { VERIFIER_VERSION } from '@assay/verifier/verdict/version';
import { evidenceText } from './evidence-text.ts';
import { command, type Given, group, type Group } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { nodeEnvironment } from '../process/node-environment.ts';
import { readPlainFile } from '../reader/plain-file.ts';
import type { Terminal } from '../command/tty.ts';

const OPTIONS = {
  key: option('KEY', { many: true })`
    A key of somebody whom you know: a verifier key of a log or a witness, or 64 hex digits of a
    publisher's report key or a co-signer's key.`,
  log: option('ID')`
    The id of a log that you know.`,
  json: flag`
    Print the verdict as JSON.`,
} as const;

const checkCommand = command({
  name: 'evidence check',
  summary: 'Check a file that accuses somebody.',
  about: `Checks a file that accuses somebody: of a fork of a log, of two prints for one place, of two statements that exclude each other, of an entry that was receipted and left out, or of an answer or a forecast with a signed receipt that its batch does not hold.

    The file stands for itself. The command asks no network, and who sent the file does not matter. The names in it are those that its keys gave themselves. Whose a key is you must know from elsewhere.`,
  operands: { file: { value: 'FILE', about: 'The file, such as assay watch writes it.' } },
  options: OPTIONS,
  exits: {
    0: 'It is proven against somebody whom --key or --log names.',
    1: 'It is not proven, or the file is no evidence.',
    4: 'It is proven against a key that is not tied to anybody whom you named.',
    5: 'It is proven against others than you named.',
  },
  examples: {
    'assay evidence check fork.json': 'See what a file proves.',
  },
  run: checkFile,
});

export const evidenceCommand: Group = group({
  name: 'evidence',
  summary: 'Check a file that proves that somebody broke a promise.',
  about: 'Works on files of evidence, which assay watch writes.',
  commands: [checkCommand],
});

async function checkFile(
  given: Given<typeof OPTIONS> & { readonly file: string },
  terminal: Terminal,
): Promise<ExitCode> {
  const { file: path } = given;
  const known = knownParties(given.key, given.log);
  const bytes = await readPlainFile(path, MAX_EVIDENCE_BYTES);
  if (bytes === undefined) throw new Fault('not_found', 'evidence', { at: path });
  const verdict = await checkEvidence(bytes, nodeEnvironment());
  const tie = verdict.proven ? evidenceTie(verdict, known) : null;
  const lines = given.json
    ? [
        JSON.stringify({
          type: 'assay-evidence-verdict/1',
          verifier: VERIFIER_VERSION,
          ...verdict,
          tie,
        }),
      ]
    : evidenceText(verdict, known, terminal);
  for (const line of lines) terminal.out(line);
  switch (tie) {
    case null:
      return EXIT.findings;
    case 'named':
      return EXIT.ok;
    case 'unnamed':
      return EXIT.unnamed;
    case 'other':
      return EXIT.other;
  }
}

/** Throws `UsageError`, because with a key that no file could name, every file would be about others. */
function knownParties(keys: readonly string[], log: string | undefined): KnownParties {
  try {
    for (const key of keys) requireKey(key);
    return { keys, log: log === undefined ? null : toHashHex(log) };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function requireKey(key: string): void {
  if (isHex(key, 32)) return;
  try {
    parseNoteKey(nodeSha256, key, NOTE_COSIGNATURE);
  } catch {
    parseNoteKey(nodeSha256, key);
  }
}
