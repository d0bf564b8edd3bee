/** An agent as a plain webhook. Each request says which call it belongs to. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const { GATEWAY_URL = 'http://127.0.0.1:8080', NUMBER_KEY = '', AGENT_TOKEN, PORT = '9001' } = process.env;

const replyTo = (message, gw) => {
  const [firstLine, task] = message.split('\n');
  if (firstLine.startsWith('[outbound call connected]')) {
    const reason = task?.replace('[task] ', '') ?? 'a question';
    return `Hello, this is ${gw.from}. I am calling about the following: ${reason}. Does that suit you?`;
  }
  const isOver = gw.direction === 'outbound' || /thank|bye|고맙|감사/i.test(message);
  return isOver ? 'Thank you very much. Goodbye!' : `You said: "${message}" What else can I do for you?`;
};

/** The reply after a refused hang-up, said once: an agent that repeats its goodbye keeps the call open. */
const sorry = 'I cannot end this call myself. Please hang up.';

/**
 * Asks the gateway to end the call when everything that is still to be said has been heard. Resolves with whether it
 * takes that on. A refusal says why: `code` and `detail` of a problem document (guides/errors.md).
 */
const hangUp = async (callId, mayRetry = true) => {
  try {
    const response = await fetch(`${GATEWAY_URL}/api/v1/calls/${callId}/hangup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${NUMBER_KEY}` },
    });
    if (response.ok) return true;
    // The only refusal that may pass by itself.
    if (response.status === 502 && mayRetry) return hangUp(callId, false);
    console.error(`The call goes on: ${await response.text()}`);
  } catch (error) {
    console.error(
      `The call goes on. Is GATEWAY_URL (${GATEWAY_URL}) the gateway? ${error.message}`,
      error.cause,
    );
  }
  return false;
};

/** Calls that the gateway would not end. */
const refused = new Set();

const farewell = async (callId, goodbye) => {
  // After two failed turns in a row the gateway says goodbye itself, and ends the call.
  if (refused.has(callId)) throw new Error('Everything is said, and the gateway does not end the call');
  if (await hangUp(callId)) return goodbye;
  refused.add(callId);
  return `${goodbye} ${sorry}`;
};

const server = createServer(async (request, response) => {
  try {
    if (AGENT_TOKEN !== undefined && request.headers.authorization !== `Bearer ${AGENT_TOKEN}`) {
      response.writeHead(401).end();
      return;
    }
    const { message, gw } = JSON.parse(await text(request));
    const answer = replyTo(message, gw);
    const reply = answer.endsWith('Goodbye!') ? await farewell(gw.call_id, answer) : answer;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ reply }));
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`The agent listens at http://127.0.0.1:${server.address().port}/`);
});
