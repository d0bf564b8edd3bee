/** A graph of one node that speaks with a fake model. Its thread keeps the conversation. */
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { millisecondsPerCharacter, note, replyTo } from '../what-the-model-says.js';

const roles = { human: 'user', ai: 'assistant' };

const speak = async (state, config) => {
  const messages = state.messages.map((message) => ({
    role: roles[message.getType()],
    content: message.text,
  }));
  const { gw } = config.configurable;
  note({ fact: 'asked', gw, messages });
  config.signal.addEventListener('abort', () => note({ fact: 'aborted', gw }));
  const model = new FakeListChatModel({ responses: [replyTo(messages)], sleep: millisecondsPerCharacter });
  const reply = await model.invoke(state.messages, config);
  note({ fact: 'answered', gw });
  return { messages: [reply] };
};

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('speak', speak)
  .addEdge(START, 'speak')
  .addEdge('speak', END)
  .compile();
