/** A call as lines of JSON: `{"type": "call", …}` when it begins and when it has ended, and its news in between. */
import { terminalJson, terminalLine } from '#src/domain/terminal-text.ts';
import type { CallView } from './call-view.ts';

export const createJsonView = (options: {
  write: (text: string) => void;
  /** Where people look who run a program. */
  tell: (text: string) => void;
}): CallView => {
  const line = (value: object): void => options.write(`${terminalJson(value)}\n`);
  return {
    say: (words) => options.tell(`${terminalLine(words)}\n`),
    begins: ({ callId, to, from }) =>
      line({ type: 'call', call: { call_id: callId, to, from, status: 'ringing' } }),
    news: line,
    ends: (call) => line({ type: 'call', call }),
    close: () => undefined,
  };
};
