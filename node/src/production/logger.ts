import { pino, type Logger } from 'pino';
import { Fault } from '@assay/core/fault';
import { LOG_LEVELS } from './config-file.ts';

/**
 * Structured logs, one JSON object per line, on standard error, because standard output belongs to the command.
 * Secrets and keys are never passed to it; the redaction is a second protection.
 */
export function makeLogger(level: string): Logger {
  if (!(LOG_LEVELS as readonly string[]).includes(level)) {
    throw new Fault('bad_config', 'log level', { expected: LOG_LEVELS.join(', '), found: level });
  }
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: [
        'private_key',
        '*.private_key',
        'passphrase',
        '*.passphrase',
        'secrets',
        '*.secrets',
      ],
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
