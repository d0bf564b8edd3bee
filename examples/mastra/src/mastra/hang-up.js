import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

const { GATEWAY_URL = 'http://127.0.0.1:8080', NUMBER_KEY = '' } = process.env;

const ask = async (callId, mayRetry = true) => {
  const response = await fetch(`${GATEWAY_URL}/api/v1/calls/${callId}/hangup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${NUMBER_KEY}` },
  });
  // The only refusal that may pass by itself.
  return response.status === 502 && mayRetry ? ask(callId, false) : response;
};

/** Why the gateway does not end the call; `undefined` where it does. */
const refusalOf = async (callId) => {
  try {
    const response = await ask(callId);
    return response.ok ? undefined : await response.text();
  } catch (error) {
    return `Is GATEWAY_URL (${GATEWAY_URL}) the gateway? ${error.message}`;
  }
};

export const hangUp = createTool({
  id: 'hang-up',
  description: 'Ends the call when everything that you have said was heard. Say goodbye before you use it.',
  inputSchema: z.object({}),
  execute: async (_, { requestContext }) => {
    const refusal = await refusalOf(requestContext.get('gw').call_id);
    if (refusal === undefined) return 'The call ends. Say nothing more.';
    console.error(`The call goes on: ${refusal}`);
    // A tool that fails does not end the turn: the model is told, and goes on talking.
    throw new Error(`The call goes on. Ask the other party, once, to hang up. ${refusal}`);
  },
});
