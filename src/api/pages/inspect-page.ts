/**
 * The page that connects the gateway's websocket with the Stately inspector, in a frame, or in a separate window if the
 * frame does not load. The texts are in the script, in English and Korean, as in the console.
 */
export const inspectPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Inspector · Trunkline</title>
    <link rel="stylesheet" href="/inspect/page.css">
    <script src="/inspect/page.js" defer></script>
  </head>
  <body>
    <header>
      <h1 data-words="title">Inspector</h1>
      <form>
        <label><span data-words="token">Admin token</span> <input name="token" type="password" autocomplete="off"></label>
        <label><span data-words="call">Call</span> <input name="call" autocomplete="off" spellcheck="false"></label>
        <button class="primary" data-words="watch">Watch</button>
        <button type="button" id="window" data-words="window">Open in a window</button>
      </form>
      <p id="status" role="status"></p>
    </header>
    <main>
      <div id="problem" role="alert" hidden><p></p><a id="own" data-words="own">Open the inspector of the console</a></div>
      <iframe title="Stately inspector"></iframe>
    </main>
  </body>
</html>
`;

export const inspectStyle = `
:root {
  color-scheme: light dark;
  --ground: #f6f6f3; --surface: #fff; --line: #8b8d87; --text: #1d1f20; --muted: #5c6062;
  --accent: #0b6b62; --on-accent: #fff; --warn: #7a5200; --warn-tint: #f8eeda;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #131516; --surface: #1b1e1f; --line: #7b8284; --text: #e7e9e8; --muted: #a2a8a9;
    --accent: #5fc9b8; --on-accent: #0c211e; --warn: #e9bd6a; --warn-tint: #34290f;
  }
}
* { box-sizing: border-box; }
body {
  font: 15px/1.5 system-ui, 'Apple SD Gothic Neo', 'Malgun Gothic', 'Noto Sans KR', sans-serif;
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--ground); color: var(--text);
}
:lang(ko) { word-break: keep-all; overflow-wrap: anywhere; }
header { padding: 0.75rem 1rem; background: var(--surface); }
h1 { font-size: 1.15rem; margin: 0 0 0.5rem; }
form { display: flex; flex-wrap: wrap; gap: 0.6rem 0.75rem; align-items: end; }
label { display: grid; gap: 0.15rem; flex: 0 1 20rem; min-width: min(14rem, 100%); font-size: 0.9rem; }
input, button {
  font: inherit; color: inherit; min-height: 2.4rem; padding: 0.3rem 0.7rem;
  border: 1px solid var(--line); border-radius: 8px; background: var(--surface);
}
input { width: 100%; }
input::placeholder { color: var(--muted); opacity: 1; }
button { cursor: pointer; font-weight: 600; }
.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
#status { margin: 0.4rem 0 0; min-height: 1.5em; color: var(--muted); }
main { flex: 1; display: flex; flex-direction: column; }
#problem { margin: 1rem; padding: 0.8rem 1rem; border-radius: 10px; background: var(--warn-tint); color: var(--warn); }
iframe { flex: 1; min-height: 24rem; border: 0; background: var(--ground); }
#problem p { margin: 0 0 0.4rem; }
#problem a { color: inherit; }
[hidden] { display: none; }
`;

/** Script of the page. The address may contain \`#token=…&call=…\`; browsers never send this fragment to a server. */
export const inspectScript = `
const words = {
  en: {
    title: 'Inspector', token: 'Admin token', call: 'Call', watch: 'Watch', window: 'Open in a window',
    own: 'Open the inspector of the console, which needs no internet',
    noToken: 'not needed when signed in', everyCall: 'empty: every call',
    unreachable: 'stately.ai cannot be reached from this browser, so there is nothing to show the charts with. The inspector is loaded from there. With a connection to the internet, open it in a window.',
    blocked: 'The browser did not open a window. Allow windows of this page, and try again.',
    connecting: 'Connecting …', watching: 'Watching. The charts appear as soon as a call is in progress.',
    noInspector: 'Connected to the gateway, but the inspector is not there yet.',
    notLetIn: 'Not let in: are you signed in to the console, or is the token right, and is the call in progress?',
    over: 'Over',
  },
  ko: {
    title: '인스펙터', token: '관리자 토큰', call: '통화', watch: '보기', window: '새 창에서 열기',
    own: '인터넷이 필요 없는 콘솔의 인스펙터 열기',
    noToken: '로그인했으면 필요 없음', everyCall: '비워 두면 모든 통화',
    unreachable: '이 브라우저에서 stately.ai에 연결할 수 없어 차트를 표시할 수 없습니다. 인스펙터는 그곳에서 불러옵니다. 인터넷에 연결한 뒤 새 창에서 여세요.',
    blocked: '브라우저가 새 창을 열지 않았습니다. 이 페이지의 새 창을 허용하고 다시 시도하세요.',
    connecting: '연결하는 중 …', watching: '보는 중입니다. 통화가 진행되면 차트가 나타납니다.',
    noInspector: '게이트웨이에 연결되었지만 인스펙터가 아직 없습니다.',
    notLetIn: '연결이 거부되었습니다. 콘솔에 로그인했는지, 토큰이 맞는지, 통화가 진행 중인지 확인하세요.',
    over: '끝났습니다',
  },
};
const wanted = [localStorage.getItem('trunkline.language'), ...navigator.languages.map((tag) => tag.split('-')[0])];
const language = wanted.find((name) => name === 'en' || name === 'ko') ?? 'en';
const t = words[language];
document.documentElement.lang = language;
document.title = t.title + ' · Trunkline';
for (const part of document.querySelectorAll('[data-words]')) part.textContent = t[part.dataset.words];

const form = document.querySelector('form');
form.elements.token.placeholder = t.noToken;
form.elements.call.placeholder = t.everyCall;
const frame = document.querySelector('iframe');
const status = document.querySelector('#status');
const problem = document.querySelector('#problem');
const own = document.querySelector('#own');
const inspector = 'https://stately.ai';
const patienceMs = 10_000;
const waiting = [];
/** The frame or window of the inspector, which announces when it listens. */
let target = frame.contentWindow;
let isListening = false;
let socket;

const say = (text) => {
  problem.querySelector('p').textContent = text;
  problem.hidden = text === '';
  const call = form.elements.call.value.trim();
  own.href = '/#/inspect' + (call === '' ? '' : '/' + encodeURIComponent(call));
};
const tellProgress = () => {
  if (socket?.readyState === WebSocket.OPEN) status.textContent = isListening ? t.watching : t.noInspector;
};
const pass = (message) => {
  if (isListening) target.postMessage(message, inspector);
  else waiting.push(message);
};
addEventListener('message', ({ source, origin, data }) => {
  if (source !== target || origin !== inspector || data?.type !== '@statelyai.connected') return;
  isListening = true;
  say('');
  for (const message of waiting.splice(0)) pass(message);
  tellProgress();
});
/**
 * The address is set only after the listener is installed, because the message of a frame that loads earlier would be
 * missed.
 */
frame.src = inspector + '/inspect';

/**
 * Any response shows that the server is reachable. The content of the response is hidden, because it comes from another
 * origin.
 */
fetch(inspector + '/inspect', { mode: 'no-cors', credentials: 'omit', signal: AbortSignal.timeout(patienceMs) }).catch(() => {
  if (isListening) return;
  frame.hidden = true;
  say(t.unreachable);
});

const watch = () => {
  socket?.close();
  waiting.length = 0;
  const { token, call } = Object.fromEntries(new FormData(form));
  const address = new URL('/inspect', location.href.replace(/^http/, 'ws'));
  address.hash = '';
  if (token !== '') address.searchParams.set('token', token);
  if (call.trim() !== '') address.searchParams.set('call', call.trim());
  const opened = new WebSocket(address);
  socket = opened;
  status.textContent = t.connecting;
  opened.onopen = tellProgress;
  opened.onmessage = ({ data }) => pass(JSON.parse(data));
  opened.onclose = ({ code, reason }) => {
    if (socket !== opened) return;
    status.textContent = code === 1006 ? t.notLetIn : t.over + (reason === '' ? '' : ': ' + reason);
  };
};
form.addEventListener('submit', (event) => {
  event.preventDefault();
  watch();
});
document.querySelector('#window').addEventListener('click', () => {
  const opened = window.open(inspector + '/inspect', 'trunkline-inspector');
  if (opened === null) return say(t.blocked);
  target = opened;
  isListening = false;
  frame.hidden = true;
  // The current actors are requested again, because the new inspector has received no messages yet.
  watch();
});

const given = new URLSearchParams(location.hash.slice(1));
for (const name of ['token', 'call']) form.elements[name].value = given.get(name) ?? '';
history.replaceState(null, '', location.pathname);
if (given.has('token') || given.has('call')) watch();
`;
