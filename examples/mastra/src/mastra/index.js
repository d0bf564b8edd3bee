/**
 * Three agents: the one that inbound calls go to, one that an outbound binding names, and one that acts by marks in its
 * text, without a tool and without a key of the gateway.
 */
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { controls } from './controls.js';
import { hangUp } from './hang-up.js';
import { modelOf } from './model.js';

const agent = (id, { acting, tools }) =>
  new Agent({
    id,
    name: id,
    instructions: ({ requestContext }) => {
      const { language } = requestContext.get('gw');
      return (
        `You are on the telephone, and what you write is spoken. Speak the language "${language}", two short ` +
        `sentences at a time. ${acting}`
      );
    },
    model: modelOf(id),
    tools,
  });

const byTool = {
  acting: 'When the matter is settled, say goodbye and use the tool that hangs up.',
  tools: { hangUp },
};
const byControls = { acting: controls, tools: {} };

export const mastra = new Mastra({
  agents: {
    voiceAssistant: agent('voiceAssistant', byTool),
    bookingAssistant: agent('bookingAssistant', byTool),
    actingAssistant: agent('actingAssistant', byControls),
  },
  server: { host: '127.0.0.1', port: Number(process.env.PORT ?? 4111) },
});
