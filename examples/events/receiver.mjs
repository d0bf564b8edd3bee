/** Receives events, believes only those that are signed, and handles each once. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
// Or './verify-with-package.mjs', after `npm install`.
import { verify } from './verify.mjs';

const { WEBHOOK_SECRET = '', PORT = '9003' } = process.env;

/** In your system a table: an event may come again days later. */
const seen = new Set();

const server = createServer(async (request, response) => {
  try {
    const event = verify(WEBHOOK_SECRET, request.headers, await text(request));
    // First the answer, then the work: an attempt that takes more than 15 seconds has failed, and comes again.
    response.writeHead(204).end();
    if (seen.has(event.id)) return;
    seen.add(event.id);
    const { id, status, end_reason: reason, metadata = {} } = event.call;
    // Metadata that was given when the call was placed, such as the order that it is about.
    console.log(event.type, id, status, reason ?? '', metadata);
  } catch (error) {
    console.error(error.message);
    response.writeHead(401).end();
  }
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Events are awaited at http://127.0.0.1:${server.address().port}/`);
});
