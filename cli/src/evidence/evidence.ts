import { parseArgs } from 'node:util';
import { MAX_EVIDENCE_BYTES } from '@assay/core/proof/evidence';
import { Fault, messageOf } from '@assay/core/fault';
import { toHashHex } from '@assay/core/hash/hash';
import { isHex } from '@assay/core/bytes/hex';
import { NOTE_COSIGNATURE, parseNoteKey } from '@assay/core/log/note';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { evidenceTie, type KnownParties } from '@assay/verifier/evidence/evidence-tie';
import { evidenceText } from './evidence-text.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { nodeEnvironment } from '../process/node-environment.ts';
import { readPlainFile } from '../reader/plain-file.ts';
import type { Terminal } from '../command/tty.ts';

export const evidenceHelp: string = `assay evidence check FILE [--key KEY]... [--log ID] [--json]

Checks a file that accuses somebody: a fork of a log, two prints for one place, two statements that
exclude each other, or an entry that was receipted and left out. The file stands for itself: nothing
is asked of a network, and nothing rests on who sent it. The names in it are those that its keys
gave themselves: whose a key is you know from elsewhere, or you do not.

  --key KEY   a key of somebody whom you know, more than once for several: a verifier key of a log
              or a witness, or 64 hex digits of a publisher's report key or a co-signer's key
  --log ID    the id of a log that you know
  --json      as JSON

Exit code: 0 proven against one whom --key or --log names, 1 not proven or no evidence file,
2 usage, 3 not completed, 4 proven, of a key that is not tied to anybody whom you named, 5 proven,
of others than you named.`;

export async function evidenceCommand(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      key: { type: 'string', multiple: true },
      log: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [action, path, ...others] = positionals;
  if (action !== 'check' || path === undefined || others.length > 0) {
    throw new UsageError('evidence takes check and one file');
  }
  const known = knownParties(values.key ?? [], values.log);
  const bytes = await readPlainFile(path, MAX_EVIDENCE_BYTES);
  if (bytes === undefined) throw new Fault('not_found', 'evidence', { at: path });
  const verdict = await checkEvidence(bytes, nodeEnvironment());
  const tie = verdict.proven ? evidenceTie(verdict, known) : null;
  const lines =
    values.json === true
      ? [JSON.stringify({ ...verdict, tie })]
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

/** Throws `UsageError`: a key that no file could name would make every file one about others. */
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
