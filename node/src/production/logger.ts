import { pino, type Logger } from 'pino';
import { Fault } from '@assay/core/fault';
import { LOG_LEVELS } from './config.ts';

/**
 * Structured logs, a JSON line each, on standard error: standard output belongs to the command.
 * Secrets and keys are never handed to it; the redaction is a second fence.
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
