/** An agent that speaks chat completions, streamed word by word. The whole conversation comes with every turn. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const { GATEWAY_URL = 'http://127.0.0.1:8080', NUMBER_KEY = '', AGENT_TOKEN, PORT = '9002' } = process.env;

/** The reply after a refused hang-up, said once: an agent that repeats its goodbye keeps the call open. */
const sorry = 'I cannot end this call myself. Please hang up.';

const replyTo = (messages, direction) => {
  // After two failed turns in a row the gateway says goodbye itself, and ends the call.
  if (messages.some(({ role, content }) => role === 'assistant' && content.endsWith(sorry))) {
    throw new Error('Everything is said, and the gateway does not end the call');
  }
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const [firstLine, task] = said.at(-1).split('\n');
  if (firstLine.startsWith('[outbound call connected]')) {
    const reason = task?.replace('[task] ', '') ?? 'a question';
    return `Hello, I am calling about the following: ${reason}. Does that suit you?`;
  }
  const isOver = direction === 'outbound' || /thank|bye|고맙|감사/i.test(firstLine);
  return isOver ? 'Thank you very much. Goodbye!' : `This is turn ${said.length}. You said: "${firstLine}"`;
};

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

const chunk = (delta, finishReason = null) => {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`;
};

const speak = async (request, response) => {
  const { messages } = JSON.parse(await text(request));
  const { 'x-gw-call-id': callId, 'x-gw-direction': direction } = request.headers;
  const reply = replyTo(messages, direction);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: '' }));
  for (const word of reply.split(/(?<= )/)) {
    // The other party has interrupted: the gateway has closed the connection.
    if (response.destroyed) return;
    response.write(chunk({ content: word }));
    await pause(30);
  }
  if (reply.endsWith('Goodbye!') && callId !== undefined && !(await hangUp(callId))) {
    response.write(chunk({ content: ` ${sorry}` }));
  }
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
};

const server = createServer((request, response) => {
  if (request.url !== '/v1/chat/completions') return response.writeHead(404).end();
  if (AGENT_TOKEN !== undefined && request.headers.authorization !== `Bearer ${AGENT_TOKEN}`) {
    return response.writeHead(401).end();
  }
  return speak(request, response).catch((error) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  });
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`The agent listens at http://127.0.0.1:${server.address().port}/v1`);
});
