/** A model that needs no key, or with MODEL a real one: any server of chat completions. */
import { MockLanguageModelV3 } from 'ai/test';
import { controls, replyTo as actingReplyTo } from './controls.js';

const { MODEL, MODEL_URL = 'https://api.openai.com/v1', MODEL_KEY = 'none' } = process.env;

const textOf = (content) => content.map(({ text }) => text ?? '').join('');

const replyTo = (agentId, prompt) => {
  const said = prompt.filter(({ role }) => role === 'user').map(({ content }) => textOf(content));
  if (prompt.some(({ role, content }) => role === 'system' && content.includes(controls)))
    return actingReplyTo(said);
  const [firstLine, task] = said.at(-1).split('\n');
  if (firstLine.startsWith('[outbound call connected]')) {
    const reason = task?.replace('[task] ', '') ?? 'a question';
    return `Hello, this is ${agentId}. I am calling about the following: ${reason}. Does that suit you?`;
  }
  return said.length > 1 ? 'Thank you very much. Goodbye!' : `You said: "${firstLine}" Is that all?`;
};

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const finish = (unified) => ({ type: 'finish', finishReason: { unified, raw: unified }, usage });

async function* speak(reply) {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id: 'text-1' };
  for (const delta of reply.split(/(?<= )/)) yield { type: 'text-delta', id: 'text-1', delta };
  yield { type: 'text-end', id: 'text-1' };
  const isOver = reply.endsWith('Goodbye!');
  if (isOver) yield { type: 'tool-call', toolCallId: 'call-1', toolName: 'hangUp', input: '{}' };
  yield finish(isOver ? 'tool-calls' : 'stop');
}

/** The reply after a refused hang-up, said once: an agent that repeats its goodbye keeps the call open. */
const sorry = 'I cannot end this call myself. Please hang up.';

const partsOf = (agentId, prompt) => {
  const last = prompt.at(-1);
  // After its own tool it has nothing to add, unless the tool was refused.
  if (last.role === 'tool') {
    return JSON.stringify(last).includes('The call goes on') ? speak(sorry) : [finish('stop')];
  }
  // Behind the second turn in a row that fails the gateway says goodbye itself, and ends the call.
  if (prompt.some(({ role, content }) => role === 'assistant' && textOf(content).includes(sorry))) {
    throw new Error('Everything is said, and the gateway does not end the call');
  }
  return speak(replyTo(agentId, prompt));
};

const fakeModelOf = (agentId) =>
  new MockLanguageModelV3({
    doStream: async ({ prompt }) => ({ stream: ReadableStream.from(partsOf(agentId, prompt)) }),
  });

export const modelOf = (agentId) =>
  MODEL === undefined ? fakeModelOf(agentId) : { id: `custom/${MODEL}`, url: MODEL_URL, apiKey: MODEL_KEY };
