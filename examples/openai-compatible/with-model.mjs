/** Stands in front of a model server: adds the model and a system message to what the gateway asks. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

const {
  MODEL,
  MODEL_URL = 'http://127.0.0.1:11434/v1',
  MODEL_KEY,
  CONTROLS = 'off',
  TRANSFER_TO,
  PORT = '9004',
} = process.env;

const speaking = 'You are on the telephone, and what you write is spoken. Two short sentences at a time.';
/** For a binding with `controls: "inline"`: a model needs no tools to act. */
const acting =
  'To hang up, say goodbye and write <hangup/> behind it. To press keys, as a menu asks for, write <keys press="1"/>. To have the other party type four digits, ask for them and write <collect digits="4"/>; they come as "[keys] 1234". To say nothing, write <silence/> alone.';
/** The number's setting `transfer_to` must allow this target. */
const transferring = `To connect the other party with a person, say so and write <transfer to="${TRANSFER_TO}" mode="warm" briefing="…"/>, with a sentence about the matter in the briefing; "[transfer failed: …]" means that nobody could be connected.`;

const system = {
  role: 'system',
  content: [
    speaking,
    ...(CONTROLS === 'inline' ? [acting] : []),
    ...(CONTROLS === 'inline' && TRANSFER_TO !== undefined ? [transferring] : []),
  ].join(' '),
};

const server = createServer(async (request, response) => {
  const stop = new AbortController();
  // The other party has interrupted: the model need not go on.
  response.on('close', () => stop.abort());
  try {
    const { messages } = JSON.parse(await text(request));
    const answer = await fetch(`${MODEL_URL}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(MODEL_KEY === undefined ? {} : { authorization: `Bearer ${MODEL_KEY}` }),
      },
      body: JSON.stringify({ model: MODEL, messages: [system, ...messages], stream: true }),
      signal: stop.signal,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    await pipeline(answer.body, response);
  } catch (error) {
    if (!stop.signal.aborted) console.error(error);
    response.destroy();
  }
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`The model is at http://127.0.0.1:${server.address().port}/v1`);
});
