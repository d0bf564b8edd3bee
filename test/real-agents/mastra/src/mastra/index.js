/** Two agents that speak with a mock model: the one that inbound calls go to, and one that has to be named. */
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { mockModel } from './mock-model.js';

const agent = (id) =>
  new Agent({
    id,
    name: id,
    instructions: 'You are on the telephone.',
    model: ({ requestContext }) => mockModel(id, requestContext.get('gw')),
  });

export const mastra = new Mastra({
  agents: { voiceAssistant: agent('voiceAssistant'), bookingAssistant: agent('bookingAssistant') },
  server: { host: '127.0.0.1', port: Number(process.env.PORT) },
});
