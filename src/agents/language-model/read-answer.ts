/** Reads a whole answer of the language model that is not spoken in a call: a summary, a persona's turn, a verdict. */
import { storable } from '#src/domain/storable-text.ts';
import { AgentFailure, retraction } from '../agent.ts';
import type { ToolCall } from '../chat-completions/read-completion.ts';
import { askModel, type LanguageModel, type ModelMessage, type Tool } from './ask-model.ts';

/** Maximum length of an answer in characters. */
const longest = 2_000;

/**
 * Maximum number of characters before the end of the answer, far more than `longest`, because they may be reasoning
 * that only the mark at its end shows.
 */
const mostRead = 64 * 1024;

/**
 * Requests an answer, whose white space is folded. Throws an AgentFailure for an answer that was cut off, because its
 * text may be reasoning without an end mark, and otherwise rejects like `askModel`.
 */
export const readAnswer = async (
  model: LanguageModel,
  request: { messages: readonly ModelMessage[]; tools: readonly Tool[] },
  signal: AbortSignal,
): Promise<{ text: string; toolCalls: readonly ToolCall[] }> => {
  let text = '';
  let toolCalls: readonly ToolCall[] = [];
  for await (const part of askModel(model, request, signal)) {
    if (typeof part === 'string') text += part;
    else if (part === retraction) text = '';
    else if ('toolCalls' in part) ({ toolCalls } = part);
    else if (part.endsEarly === true) throw new AgentFailure('reply_cut_off', part.remark);
    if (text.length > mostRead)
      throw new AgentFailure('reply_too_large', `the answer is longer than ${mostRead} characters`);
  }
  return { text: storable(text.replaceAll(/\s+/g, ' ').trim().slice(0, longest)), toolCalls };
};
