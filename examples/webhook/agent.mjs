/** An agent as a plain webhook. It keeps nothing between turns: each request says which call it belongs to. */
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

/** Asks the gateway to end the call when everything that is still to be said has been heard. */
const hangUp = async (callId) => {
  try {
    const response = await fetch(`${GATEWAY_URL}/api/v1/calls/${callId}/hangup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${NUMBER_KEY}` },
    });
    if (!response.ok) console.error(`The call goes on: ${await response.text()}`);
  } catch (error) {
    console.error(`The call goes on: ${error.message}`, error.cause);
  }
};

const server = createServer(async (request, response) => {
  try {
    if (AGENT_TOKEN !== undefined && request.headers.authorization !== `Bearer ${AGENT_TOKEN}`) {
      response.writeHead(401).end();
      return;
    }
    const { message, gw } = JSON.parse(await text(request));
    const reply = replyTo(message, gw);
    if (reply.endsWith('Goodbye!')) await hangUp(gw.call_id);
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
