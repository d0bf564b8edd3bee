import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

const { GATEWAY_URL = 'http://127.0.0.1:8080', NUMBER_KEY = '' } = process.env;

export const hangUp = createTool({
  id: 'hang-up',
  description: 'Ends the call when everything that you have said was heard. Say goodbye before you use it.',
  inputSchema: z.object({}),
  execute: async (_, { requestContext }) => {
    const { call_id: callId } = requestContext.get('gw');
    const response = await fetch(`${GATEWAY_URL}/api/v1/calls/${callId}/hangup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${NUMBER_KEY}` },
    });
    // A tool that fails does not end the turn: the model is told, and goes on talking.
    if (!response.ok) throw new Error(`The call goes on: ${await response.text()}`);
    return 'The call ends. Say nothing more.';
  },
});
