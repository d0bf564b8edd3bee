/** A call as JSON lines: `{"type": "call", …}` at its beginning and end, and its events between. */
import { terminalJson, terminalLine } from '#src/domain/terminal-text.ts';
import type { CallView } from './call-view.ts';

export const createJsonView = (options: {
  write: (text: string) => void;
  /** Writes to standard error, the output for messages to people. */
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
