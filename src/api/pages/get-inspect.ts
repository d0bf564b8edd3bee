/**
 * The page that brings a call into the Stately inspector: it joins the gateway's websocket with the inspector in a
 * frame. The inspector is loaded from stately.ai, and by this page alone.
 */
import { Refusal } from '#src/domain/refusal.ts';
import { defineRoute } from '../route.ts';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trunkline: inspector</title>
    <link rel="stylesheet" href="/inspect/page.css">
  </head>
  <body>
    <form>
      <label>Admin token <input name="token" type="password" autocomplete="off" placeholder="not needed when signed in"></label>
      <label>Call <input name="call" placeholder="empty: every call" size="38"></label>
      <button>Watch</button>
      <output role="status"></output>
    </form>
    <iframe title="Stately inspector" src="https://stately.ai/inspect"></iframe>
    <script src="/inspect/page.js"></script>
  </body>
</html>
`;

const style = `
body { font: 15px/1.4 system-ui, sans-serif; margin: 0; height: 100vh; display: flex; flex-direction: column; }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; padding: 0.5rem 0.75rem; }
input, button { font: inherit; padding: 0.25rem 0.5rem; }
iframe { flex: 1; border: 0; }
`;

/** The address may bring \`#token=…&call=…\`: what stands behind # never leaves the browser. */
const script = `
const form = document.querySelector('form');
const frame = document.querySelector('iframe');
const status = document.querySelector('output');
const inspector = 'https://stately.ai';
const waiting = [];
let isListening = false;
let socket;

const pass = (message) => {
  if (isListening) frame.contentWindow.postMessage(message, inspector);
  else waiting.push(message);
};
addEventListener('message', ({ source, data }) => {
  if (source !== frame.contentWindow || data?.type !== '@statelyai.connected') return;
  isListening = true;
  for (const message of waiting.splice(0)) pass(message);
});

const watch = () => {
  socket?.close();
  const { token, call } = Object.fromEntries(new FormData(form));
  const address = new URL('/inspect', location.href.replace(/^http/, 'ws'));
  address.hash = '';
  if (token !== '') address.searchParams.set('token', token);
  if (call.trim() !== '') address.searchParams.set('call', call.trim());
  const opened = new WebSocket(address);
  socket = opened;
  status.value = 'Connecting …';
  opened.onopen = () => { status.value = 'Watching'; };
  opened.onmessage = ({ data }) => pass(JSON.parse(data));
  opened.onclose = ({ code, reason }) => {
    if (socket !== opened) return;
    status.value = code === 1006
      ? 'Not let in: are you signed in to the console, or is the token right, and is the call in progress?'
      : 'Over' + (reason === '' ? '' : ': ' + reason);
  };
};
form.addEventListener('submit', (event) => {
  event.preventDefault();
  watch();
});

const given = new URLSearchParams(location.hash.slice(1));
for (const name of ['token', 'call']) form.elements[name].value = given.get(name) ?? '';
history.replaceState(null, '', location.pathname);
if (given.has('token') || given.has('call')) watch();
`;

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src https://stately.ai; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const off = (): Refusal =>
  new Refusal('not_found', 'The inspector is off: start the gateway with GW_INSPECT=1.');

export const getInspect = defineRoute({
  method: 'get',
  path: '/inspect',
  operationId: 'getInspect',
  tag: 'Pages',
  summary: 'Calls in the Stately inspector',
  description:
    'A page that shows the statecharts of calls in progress in the Stately inspector, which it loads from stately.ai. As a websocket (`?token=` an admin token, which a browser that is signed in to the console need not send, `?call=` one call or none for all) this address speaks the inspection protocol itself. With `GW_INSPECT=1` only.',
  auth: 'none',
  responses: { 200: { description: 'The page.', media: ['text/html'] } },
  refusals: ['not_found'],
}).handledBy((_request, { inspects }) => {
  if (!inspects) throw off();
  return {
    status: 200,
    media: 'text/html',
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
    body: page,
  };
});

export const getInspectScript = defineRoute({
  method: 'get',
  path: '/inspect/page.js',
  operationId: 'getInspectScript',
  tag: 'Pages',
  summary: 'The script of the inspector page',
  description: 'Joins the websocket and the inspector.',
  auth: 'none',
  responses: { 200: { description: 'The script.', media: ['text/javascript'] } },
  refusals: ['not_found'],
}).handledBy((_request, { inspects }) => {
  if (!inspects) throw off();
  return { status: 200, media: 'text/javascript', headers: {}, body: script };
});

export const getInspectStyle = defineRoute({
  method: 'get',
  path: '/inspect/page.css',
  operationId: 'getInspectStyle',
  tag: 'Pages',
  summary: 'The style of the inspector page',
  description: 'How the page looks.',
  auth: 'none',
  responses: { 200: { description: 'The style sheet.', media: ['text/css'] } },
  refusals: ['not_found'],
}).handledBy((_request, { inspects }) => {
  if (!inspects) throw off();
  return { status: 200, media: 'text/css', headers: {}, body: style };
});
