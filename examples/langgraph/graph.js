/** One node speaks, another hangs up after a goodbye. The thread of the call keeps the conversation. */
import { AIMessage, SystemMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { hangUp } from './hang-up.js';
import { model } from './model.js';

/** The reply after a refused hang-up, said once: an agent that repeats its goodbye keeps the call open. */
const sorry = 'I cannot end this call myself. Please hang up.';

const speak = async ({ messages }, config) => {
  // Behind the second turn in a row that fails the gateway says goodbye itself, and ends the call.
  if (messages.some(({ text }) => text === sorry)) {
    throw new Error('Everything is said, and the gateway does not end the call');
  }
  const { gw } = config.configurable;
  const instructions = new SystemMessage(
    `You are on the telephone, and what you write is spoken. Your number is ${gw.direction === 'outbound' ? gw.from : gw.to}. ` +
      `Speak the language "${gw.language}", two short sentences at a time. When the matter is settled, end with "Goodbye!".`,
  );
  return { messages: [await model.invoke([instructions, ...messages], config)] };
};

const isOver = ({ messages }) => (messages.at(-1).text.endsWith('Goodbye!') ? 'hang up' : END);

const endCall = async (_, { configurable }) =>
  (await hangUp(configurable.gw.call_id)) ? {} : { messages: [new AIMessage(sorry)] };

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('speak', speak)
  .addNode('hang up', endCall)
  .addEdge(START, 'speak')
  .addConditionalEdges('speak', isOver)
  .compile();
