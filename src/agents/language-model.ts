/**
 * The built-in agent with a language model. A turn that the model cannot answer fails, as with any other agent, because
 * a fallback to the scripted dialogue would contradict the model.
 */
import type { Logger } from 'pino';
import type { Control } from '#machines/control.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { HangUp, PressKeys } from '#src/domain/own-call.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import {
  type Agent,
  AgentFailure,
  type AgentRequest,
  type ReplyPiece,
  retraction,
  sentenceEnd,
} from './agent.ts';
import { wordsFor } from './built-in/languages.ts';
import type { ToolCall } from './chat-completions/read-completion.ts';
import { type LanguageModel, type ModelMessage, askModel } from './language-model/ask-model.ts';
import { promptFor } from './language-model/prompt.ts';
import { createTools } from './language-model/tools.ts';

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

/**
 * Returns tool calls in the form in which they are sent back to the model beside their results. Servers are stricter
 * than their models in this respect: every call needs an id, and arguments that are a JSON object.
 */
export const returnable = (calls: readonly ToolCall[]): ToolCall[] =>
  calls.map(({ id, name, arguments: given }, index) => ({
    id: id === '' ? `call_${index}` : id,
    name,
    arguments: isObject(given) ? given : '{}',
  }));

/** Maximum requests to the model per turn. */
const mostRounds = 3;

const again = 'it called tools again and again';

/**
 * Whether an error is a failure of the model. Any other error is a bug of the gateway and is reported by the caller.
 */
const isFailure = (error: unknown): error is AgentFailure | EndpointFailure =>
  error instanceof AgentFailure || error instanceof EndpointFailure;

/**
 * Returns the language model with the model of the number. A model that the operator no longer offers is replaced by
 * the default.
 */
const modelOf = (usual: LanguageModel, { context, binding }: AgentCall, logger: Logger): LanguageModel => {
  const { model } = binding;
  if (model === null || model === usual.model) return usual;
  if (usual.otherModels.includes(model)) return { ...usual, model };
  logger.warn(
    { call_id: context.call_id },
    'the model of the number is not in GW_LLM_MODELS: the default one is used',
  );
  return usual;
};

export const languageModelAgent = (
  usual: LanguageModel,
  call: AgentCall,
  { hangUp, pressKeys, logger }: { hangUp: HangUp; pressKeys: PressKeys | null; logger: Logger },
): Agent => {
  const { call_id: callId, language } = call.context;
  const words = wordsFor(language);
  const { transferTo = [], binding } = call;
  const model = modelOf(usual, call, logger);
  const tools = createTools(callId, { hangUp, pressKeys, transferTo, allowed: binding.tools });
  const prompt: ModelMessage = {
    role: 'system',
    content: promptFor(call.context, { tools: tools.names, instructions: binding.prompt }),
  };

  /** Repeats the request until the model calls no further tools. */
  async function* converse(
    history: AgentRequest['messages'],
    signal: AbortSignal,
  ): AsyncGenerator<ReplyPiece, void, undefined> {
    const messages: ModelMessage[] = [prompt, ...history];
    let hasWords = false;
    /** Collection of DTMF digits, which begins after all speech of the turn. */
    let collecting: Control | undefined;
    const firstTokenBy = model.clock.now() + model.firstTokenMs;
    for (let round = 1; round <= mostRounds; round += 1) {
      // Time limit for the first word, reduced by the time of earlier tool calls.
      const left = Math.max(0, firstTokenBy - model.clock.now());
      const patient: LanguageModel = hasWords ? model : { ...model, firstTokenMs: left };
      let content = '';
      let wanted: readonly ToolCall[] = [];
      for await (const part of askModel(patient, { messages, tools: tools.offered }, signal)) {
        if (typeof part === 'object' && 'toolCalls' in part) {
          wanted = part.toolCalls;
          continue;
        }
        if (typeof part === 'string') {
          content += part;
          hasWords ||= part.trim() !== '';
        }
        if (part === retraction) content = '';
        yield part;
      }
      if (wanted.length === 0) {
        if (collecting !== undefined) yield { control: collecting };
        return;
      }
      if (content !== '') yield sentenceEnd;
      const toolCalls = returnable(wanted);
      messages.push({ role: 'assistant', content, toolCalls });
      for (const [index, toolCall] of wanted.entries()) {
        // Tool calls of an aborted reply are not executed.
        signal.throwIfAborted();
        const outcome = await tools.run(toolCall);
        if (outcome.did === 'hung up') {
          if (!hasWords) yield [words.thanks, words.goodbye].join(words.space);
          return;
        }
        if (outcome.did === 'asked for a transfer') {
          if (!hasWords) yield words.connecting;
          yield { control: outcome.control };
          return;
        }
        if (outcome.did === 'asked for keys') collecting = outcome.control;
        if (outcome.did === 'nothing')
          logger.info({ call_id: callId }, 'a tool of the language model was not used');
        messages.push({ role: 'tool', callId: toolCalls[index]?.id ?? '', content: outcome.result });
      }
      // The announcement of the collection is skipped if the reply already names the digits to press.
      if (collecting !== undefined && hasWords) {
        yield { control: collecting };
        return;
      }
    }
    if (!hasWords) throw new AgentFailure('no_reply', again);
    yield { remark: again };
  }

  return {
    async *reply({ messages }, signal) {
      try {
        yield* converse(messages, signal);
      } catch (error) {
        if (signal.aborted || !isFailure(error)) throw error;
        throw new AgentFailure(error.failure, `the language model: ${error.message}`, {
          cause: error,
          ...(error instanceof AgentFailure && error.serverSays !== undefined
            ? { serverSays: error.serverSays }
            : {}),
          ...(error.status === undefined ? {} : { status: error.status }),
        });
      }
    },
  };
};
