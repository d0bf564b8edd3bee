/** Commands to FreeSWITCH and questions, whichever connection to its event socket stands now. */
import type { Clock } from '#src/domain/clock.ts';
import { within } from '../../background-tasks.ts';
import type { EventSocket } from './event-socket.ts';

export type Commands = {
  /** Runs a command; resolves with all that it answers. Rejects without a connection, and when no answer comes in time. */
  api(command: string): Promise<string>;
  /** The same, and rejects where the answer is no `+OK`. */
  run(command: string): Promise<string>;
  /** Tells a channel something (`sendmsg`). Rejects where there is no such channel. */
  tell(uuid: string, message: Readonly<Record<string, string>>): Promise<void>;
};

/** A line break would be the beginning of something else. */
const oneLine = (text: string): string => {
  if (/[\r\n]/.test(text)) throw new Error('A command of FreeSWITCH is one line');
  return text;
};

/** The answer is for the log: what was asked may hold what is nobody's business, such as keys. */
const verbOf = (command: string): string => command.split(' ', 1)[0] ?? '';

export const commandsOn = (
  /** Throws while there is none. */
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
