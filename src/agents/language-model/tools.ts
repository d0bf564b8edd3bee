/**
 * Tools of the language model, for all that it does besides speaking. Whatever is wrong with it is told to the model,
 * which goes on.
 */
import { z } from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { telephoneKeys } from '#src/domain/in-call-request.ts';
import type { HangUp, PressKeys } from '#src/domain/own-call.ts';
import type { ToolCall } from '../chat-completions/read-completion.ts';
import type { Tool } from './ask-model.ts';

export type ToolOutcome = {
  did: 'hung up' | 'pressed keys' | 'nothing';
  /** What the model is told of it. */
  result: string;
};

export type Tools = {
  offered: readonly Tool[];
  run(call: ToolCall): Promise<ToolOutcome>;
};

/** Plain JSON schemas: not every server takes all of their keywords. */
const hangUpTool: Tool = {
  name: 'hang_up',
  description: 'Ends the telephone call as soon as what you say in this reply, the goodbye, was heard.',
  parameters: { type: 'object', properties: {} },
};

const pressKeysTool: Tool = {
  name: 'press_keys',
  description: 'Presses keys of the telephone at once, for a recorded menu or an extension.',
  parameters: {
    type: 'object',
    properties: {
      keys: {
        type: 'string',
        description:
          'One or more of 0-9, *, #, A-D without spaces; w waits for half a second. Example: 1w204#',
      },
    },
    required: ['keys'],
  },
};

const noArguments = z.object({}).nullable();
const keyArguments = z.object({ keys: z.string().regex(telephoneKeys) });

/** No arguments at all are often written as nothing; `undefined` for what is no JSON. */
const parsed = (text: string): unknown => {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const wrong = (what: string): ToolOutcome => ({ did: 'nothing', result: `error: ${what}` });

export const createTools = (
  callId: string,
  { hangUp, pressKeys }: { hangUp: HangUp; pressKeys: PressKeys | null },
): Tools => {
  /** A refusal is an answer to the model; anything else is thrown. */
  const attempt = async (outcome: ToolOutcome, request: () => Promise<void>): Promise<ToolOutcome> => {
    try {
      await request();
      return outcome;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { did: 'nothing', result: `refused: ${error.message}` };
    }
  };

  return {
    offered: pressKeys === null ? [hangUpTool] : [hangUpTool, pressKeysTool],
    async run({ name, arguments: text }) {
      if (name === 'hang_up') {
        if (!noArguments.safeParse(parsed(text)).success) return wrong('hang_up takes no arguments');
        return attempt({ did: 'hung up', result: 'The call ends after your goodbye.' }, () =>
          hangUp(callId, { immediate: false }),
        );
      }
      if (name === 'press_keys' && pressKeys !== null) {
        const { data } = keyArguments.safeParse(parsed(text));
        if (data === undefined) return wrong('keys must be 1 to 64 of 0-9, *, #, A-D and w');
        return attempt({ did: 'pressed keys', result: 'The keys are being pressed.' }, () =>
          pressKeys(callId, data.keys),
        );
      }
      return wrong('there is no such tool');
    },
  };
};
