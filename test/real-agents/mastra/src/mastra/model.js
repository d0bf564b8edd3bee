/** Replaces the example's model: records its requests. */
import { MockLanguageModelV3 } from 'ai/test';
import { controls, replyTo as actingReplyTo } from './controls.js';
import { millisecondsPerCharacter, note, replyTo } from '../../../model-replies.js';

const textOf = (content) =>
  typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const pause = () => new Promise((resolve) => setTimeout(resolve, millisecondsPerCharacter));

/** Speaks character by character until it is done or aborted. */
const speaking = (reply, signal, onAnswered) =>
  async function* parts() {
    yield { type: 'stream-start', warnings: [] };
    yield { type: 'text-start', id: 'text-1' };
    for (const delta of reply) {
      await pause();
      if (signal?.aborted) return;
      yield { type: 'text-delta', id: 'text-1', delta };
    }
    yield { type: 'text-end', id: 'text-1' };
    yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage };
    onAnswered();
  };

/** The model of this agent for one turn. */
const mockModel = (agent, gw) =>
  new MockLanguageModelV3({
    async doStream({ prompt, abortSignal }) {
      const messages = prompt
        .filter(({ role }) => role !== 'system')
        .map(({ role, content }) => ({ role, content: textOf(content) }));
      note({ fact: 'asked', agent, gw, messages });
      abortSignal?.addEventListener('abort', () => note({ fact: 'aborted', gw }));
      const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
      const isActing = prompt.some(({ role, content }) => role === 'system' && content.includes(controls));
      const words = isActing ? actingReplyTo(said) : replyTo(messages);
      const parts = speaking(words, abortSignal, () => note({ fact: 'answered', gw }));
      return { stream: ReadableStream.from(parts()) };
    },
  });

export const modelOf =
  (agent) =>
  ({ requestContext }) =>
    mockModel(agent, requestContext.get('gw'));
