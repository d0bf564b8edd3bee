/** One node, which speaks and acts by marks in its text: it needs no key of the gateway, and makes no request. */
import { SystemMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { controls } from './controls.js';
import { model } from './model.js';

const speak = async ({ messages }, config) => {
  const { gw } = config.configurable;
  const instructions = new SystemMessage(
    'You are on the telephone, and what you write is spoken. ' +
      `Speak the language "${gw.language}", two short sentences at a time. ${controls}`,
  );
  return { messages: [await model.invoke([instructions, ...messages], config)] };
};

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('speak', speak)
  .addEdge(START, 'speak')
  .compile();
