import { faultCode, messageOf } from '@assay/core/fault';
import type { Clock } from '@assay/node/platform/clock';
import type { FromMachine, ShiftClock } from './messages.ts';

let shift = 0;

/** The machine's clock, as far off as the scenario says, and as whatever stands between it and its system. */
export const shiftedClock: Clock = () => Math.floor(Date.now() / 1000) + shift;

/**
 * Answers the scenario's messages one after the other. What is refused is an answer too; the program ends when the
 * scenario lets go of it.
 */
export function serveScenario<Message extends { readonly kind: string }>(
  handle: (message: Exclude<Message, ShiftClock>) => Promise<FromMachine>,
): void {
  let turn: Promise<unknown> = Promise.resolve();
  const answer = async (message: Message): Promise<FromMachine> => {
    if (message.kind === 'shift') {
      shift = (message as unknown as ShiftClock).seconds;
      return { kind: 'shifted' };
    }
    try {
      return await handle(message as Exclude<Message, ShiftClock>);
    } catch (error) {
      return { kind: 'refused', code: faultCode(error) ?? 'none', reason: messageOf(error) };
    }
  };
  process.on('message', (message) => {
    turn = turn.then(async () => process.send?.(await answer(message as Message)));
  });
  process.on('disconnect', () => process.exit(0));
}
