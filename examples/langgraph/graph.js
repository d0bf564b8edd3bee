/** One node speaks, another hangs up after a goodbye. The thread of the call keeps the conversation. */
import { SystemMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { hangUp } from './hang-up.js';
import { model } from './model.js';

const speak = async ({ messages }, config) => {
  const { gw } = config.configurable;
  const instructions = new SystemMessage(
    `You are on the telephone, and what you write is spoken. Your number is ${gw.direction === 'outbound' ? gw.from : gw.to}. ` +
      `Speak the language "${gw.language}", two short sentences at a time. When the matter is settled, end with "Goodbye!".`,
  );
  return { messages: [await model.invoke([instructions, ...messages], config)] };
};

const isOver = ({ messages }) => (messages.at(-1).text.endsWith('Goodbye!') ? 'hang up' : END);

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('speak', speak)
  .addNode('hang up', (_, { configurable }) => hangUp(configurable.gw.call_id))
  .addEdge(START, 'speak')
  .addConditionalEdges('speak', isOver)
  .compile();
