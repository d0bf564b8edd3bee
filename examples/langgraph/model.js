/** A model that needs no key, or with MODEL a real one: any server of chat completions. */
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { ChatOpenAI } from '@langchain/openai';
import { controls, replyTo as actingReplyTo } from './controls.js';

const { MODEL, MODEL_URL = 'https://api.openai.com/v1', MODEL_KEY = 'none' } = process.env;

const replyTo = (messages) => {
  const said = messages.filter((message) => message.getType() === 'human').map(({ text }) => text);
  if (messages[0].text.includes(controls)) return actingReplyTo(said);
  const [firstLine, task] = said.at(-1).split('\n');
  if (firstLine.startsWith('[outbound call connected]')) {
    return `Hello, I am calling about the following: ${task?.replace('[task] ', '') ?? 'a question'}. Does that suit you?`;
  }
  return said.length > 1 ? 'Thank you very much. Goodbye!' : `You said: "${firstLine}" Is that all?`;
};

const fakeModel = {
  invoke: (messages, config) =>
    new FakeListChatModel({ responses: [replyTo(messages)], sleep: 5 }).invoke(messages, config),
};

export const model =
  MODEL === undefined
    ? fakeModel
    : new ChatOpenAI({ model: MODEL, apiKey: MODEL_KEY, configuration: { baseURL: MODEL_URL } });
