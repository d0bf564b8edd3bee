/** Commands and queries to FreeSWITCH over the current connection to its event socket. */
import type { Clock } from '#src/domain/clock.ts';
import { within } from '../../background-tasks.ts';
import type { EventSocket } from './event-socket.ts';

export type Commands = {
  /** Runs a command; resolves with its complete answer. Rejects without a connection, and on a timeout. */
  api(command: string): Promise<string>;
  /** Like `api`, but rejects if the answer is not `+OK`. */
  run(command: string): Promise<string>;
  /** Sends a message to a channel (`sendmsg`). Rejects if the channel does not exist. */
  tell(uuid: string, message: Readonly<Record<string, string>>): Promise<void>;
};

/** Rejects CR and LF: a newline would inject a second command. */
const oneLine = (text: string): string => {
  if (/[\r\n]/.test(text)) throw new Error('A command of FreeSWITCH is one line');
  return text;
};

/** Only the verb is logged, because arguments may contain private data such as DTMF digits. */
const verbOf = (command: string): string => command.split(' ', 1)[0] ?? '';

export const commandsOn = (
  /** Throws without a connection. */
  socket: () => Pick<EventSocket, 'command'>,
  { answerMs, clock }: { answerMs: number; clock: Clock },
): Commands => {
  const ask = (what: string, command: string): Promise<string> =>
    within(clock, answerMs, `An answer of FreeSWITCH to ${what}`, socket().command(command));

  const api = async (command: string): Promise<string> => ask(verbOf(command), `api ${oneLine(command)}`);

  return {
    api,
    async run(command) {
      const answer = await api(command);
      if (!answer.startsWith('+OK')) throw new Error(`FreeSWITCH did not take ${verbOf(command)}`);
      return answer;
    },
    async tell(uuid, message) {
      const lines = Object.entries(message).map(([name, value]) => `${name}: ${oneLine(value)}`);
      const reply = await ask('a message', [`sendmsg ${oneLine(uuid)}`, ...lines].join('\n'));
      if (!reply.startsWith('+OK')) throw new Error('The channel is gone');
    },
  };
};
