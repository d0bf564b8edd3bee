/**
 * Tools of the language model for every action other than speech. Errors are returned to the model, which continues.
 * DTMF collection and transfers are controls of a reply (guides/design/agents.md, "Controls"): they take effect once
 * the model's words were heard, and are dropped if the words were interrupted.
 */
import { z } from 'zod';
import { builtInTools, type BuiltInTool } from '#src/domain/agent-binding.ts';
import { Refusal } from '#src/domain/refusal.ts';
import {
  longestKeyWaitSec,
  mostCollected,
  dtmfDigits,
  usualKeyWaitSec,
} from '#src/domain/in-call-request.ts';
import type { Control } from '#machines/control.ts';
import type { HangUp, PressKeys } from '#src/domain/own-call.ts';
import { readControl } from '../controls/read-control.ts';
import type { ToolCall } from '../chat-completions/read-completion.ts';
import type { Tool } from './ask-model.ts';

export type ToolOutcome =
  | {
      did: 'hung up' | 'pressed keys' | 'nothing';
      /** Result of the tool for the model. */
      result: string;
    }
  | {
      /** Action of the agent that takes effect once the words of the model were heard. */
      did: 'asked for keys' | 'asked for a transfer';
      control: Control;
      result: string;
    };

export type Tools = {
  /** Names of the offered tools. */
  names: readonly BuiltInTool[];
  offered: readonly Tool[];
  run(call: ToolCall): Promise<ToolOutcome>;
};

/** Parameters are plain JSON schemas, because some servers do not support all keywords. */
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

const collectKeysTool: Tool = {
  name: 'collect_keys',
  description:
    'Waits for keys that the other party presses on the telephone, such as the number of an order, as soon as what you say in this reply was heard. Say what to press. The keys come as the next message: [keys] 1234, or [keys] alone when none was pressed.',
  parameters: {
    type: 'object',
    properties: {
      digits: { type: 'integer', description: `How many keys, where that is known: 1 to ${mostCollected}.` },
      finish: { type: 'string', description: 'The key that ends the input, such as #, where one does.' },
      timeout_sec: {
        type: 'integer',
        description: `Seconds to wait for each key: 1 to ${longestKeyWaitSec}. Default: ${usualKeyWaitSec}.`,
      },
      secret: {
        type: 'boolean',
        description: 'True for what must not be recorded, such as a password or the number of a card.',
      },
    },
  },
};

const inWords = (target: string): string =>
  target.endsWith('*') ? `any that begins with ${target.slice(0, -1)}` : target;

/** Returns the tool for transfers, which is omitted if the number's policy allows no transfer targets. */
const transferCallTool = (transferTo: readonly string[]): Tool => ({
  name: 'transfer_call',
  description:
    'Hands the other party over to a person as soon as what you say in this reply was heard. If nobody can be connected, the next message says why: [transfer failed: …].',
  parameters: {
    type: 'object',
    properties: {
      to: {
        type: 'string',
        description: `The telephone number of the person. Allowed: ${transferTo.map(inWords).join(', ')}.`,
      },
      mode: {
        type: 'string',
        enum: ['cold', 'warm'],
        description: 'warm: the person hears the briefing before being connected. Default: cold.',
      },
      briefing: {
        type: 'string',
        description: 'Of a warm transfer: one or two sentences for the person about the matter.',
      },
    },
    required: ['to'],
  },
});

const noArguments = z.object({}).nullable();
const toolArguments = z
  .record(z.string(), z.unknown())
  .nullable()
  .transform((given) => given ?? {});
const keyArguments = z.object({ keys: z.string().regex(dtmfDigits) });

/** Parses the arguments, which are often an empty text if there are none. Returns `undefined` for invalid JSON. */
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
  {
    hangUp,
    pressKeys,
    transferTo = [],
    allowed = null,
  }: {
    hangUp: HangUp;
    pressKeys: PressKeys | null;
    transferTo?: readonly string[];
    /** Tools that the number allows; null for all. */
    allowed?: readonly BuiltInTool[] | null;
  },
): Tools => {
  const available: Readonly<Record<BuiltInTool, Tool | null>> = {
    hang_up: hangUpTool,
    press_keys: pressKeys && pressKeysTool,
    collect_keys: collectKeysTool,
    transfer_call: transferTo.length === 0 ? null : transferCallTool(transferTo),
  };
  const names = builtInTools.filter(
    (name) => available[name] !== null && (allowed === null || allowed.includes(name)),
  );
  const offered = names.flatMap((name) => available[name] ?? []);

  /** Returns a refusal as a result for the model; throws other errors. */
  const attempt = async (outcome: ToolOutcome, request: () => Promise<void>): Promise<ToolOutcome> => {
    try {
      await request();
      return outcome;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { did: 'nothing', result: `refused: ${error.message}` };
    }
  };

  /** Treats null and empty texts as absent, because models fill optional parameters with such values. */
  const write = (
    control: 'collect' | 'transfer',
    text: string,
    outcome: { did: 'asked for keys' | 'asked for a transfer'; result: string },
  ): ToolOutcome => {
    const given = toolArguments.safeParse(parsed(text)).data;
    if (given === undefined) return wrong('the arguments must be a JSON object');
    const filled = Object.entries(given).filter(([, value]) => value !== null && value !== '');
    const read = readControl(control, Object.fromEntries(filled));
    if (typeof read === 'symbol') return wrong('there is no such tool');
    return 'leftOut' in read ? wrong(read.leftOut) : { ...outcome, control: read };
  };

  return {
    names,
    offered,
    async run({ name, arguments: text }) {
      if (!offered.some((tool) => tool.name === name)) return wrong('there is no such tool');
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
      if (name === 'collect_keys')
        return write('collect', text, {
          did: 'asked for keys',
          result: 'The keys are waited for when what you say was heard. Say what to press.',
        });
      return write('transfer', text, {
        did: 'asked for a transfer',
        result: 'The transfer begins when what you say was heard.',
      });
    },
  };
};
