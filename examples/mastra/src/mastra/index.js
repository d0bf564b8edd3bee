/** Two agents: the one that inbound calls go to, and one that an outbound binding names. */
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { hangUp } from './hang-up.js';
import { modelOf } from './model.js';

const agent = (id) =>
  new Agent({
    id,
    name: id,
    instructions: ({ requestContext }) => {
      const { language } = requestContext.get('gw');
      return (
        `You are on the telephone, and what you write is spoken. Speak the language "${language}", two short ` +
        'sentences at a time. When the matter is settled, say goodbye and use the tool that hangs up.'
      );
    },
    model: modelOf(id),
    tools: { hangUp },
  });

export const mastra = new Mastra({
  agents: { voiceAssistant: agent('voiceAssistant'), bookingAssistant: agent('bookingAssistant') },
  server: { host: '127.0.0.1', port: Number(process.env.PORT ?? 4111) },
});
