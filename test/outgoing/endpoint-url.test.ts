import test from 'ava';
import { endpointUrlProblem } from '#src/outgoing/endpoint-url.ts';

const strict = { allowedHosts: [], allowLoopback: false };
const embedded = { allowedHosts: [], allowLoopback: true };

for (const url of [
  'https://agent.example.com',
  'https://agent.example.com:8443/chat?tenant=1',
  'https://1.1.1.1/chat',
  'https://[2606:4700::1111]/chat',
  'https://에이전트.example/chat',
]) {
  test(`accepts ${url}`, (t) => {
    t.is(endpointUrlProblem(url, strict), undefined);
  });
}

const refused: [url: string, sentence: RegExp][] = [
  ['', /not a URL/],
  ['agent.example.com/chat', /not a URL/],
  [' https://agent.example.com', /not a URL/],
  ['https://', /not a URL/],
  ['http://agent.example.com', /begin with https/],
  ['http://10.0.0.1', /begin with https/],
  ['ftp://agent.example.com', /begin with https/],
  ['file:///etc/passwd', /begin with https/],
  ['javascript:alert(1)', /begin with https/],
  ['https://user:secret@agent.example.com', /user name or password/],
  ['https://user@agent.example.com', /user name or password/],
  ['https://agent.example.com/chat#top', /fragment/],
  ['https://agent.example.com/chat#', /fragment/],
  [`https://agent.example.com/${'a'.repeat(2_048)}`, /longer than/],
  ['https://localhost/chat', /private network/],
  ['https://LOCALHOST./chat', /private network/],
  ['https://my.localhost/chat', /private network/],
  ['https://127.0.0.1/chat', /private network/],
  ['https://127.1/chat', /private network/],
  ['https://2130706433/chat', /private network/],
  ['https://0x7f000001/chat', /private network/],
  ['https://0177.0.0.1/chat', /private network/],
  ['https://0/chat', /private network/],
  ['https://①②⑦.0.0.1/chat', /private network/],
  ['https://169.254.169.254/latest/meta-data', /private network/],
  ['https://192.168.0.10', /private network/],
  ['https://[::1]/chat', /private network/],
  ['https://[::]/chat', /private network/],
  ['https://[::ffff:127.0.0.1]/chat', /private network/],
  ['https://[64:ff9b::7f00:1]/chat', /private network/],
  ['https://[fe80::1]/chat', /private network/],
  ['https://[fd00::1]/chat', /private network/],
];

for (const [url, sentence] of refused) {
  test(`refuses ${url === '' ? 'an empty URL' : url.slice(0, 60)}`, (t) => {
    t.regex(endpointUrlProblem(url, strict) ?? '', sentence);
  });
}

test('the sentence never repeats the URL', (t) => {
  t.notRegex(endpointUrlProblem('https://user:secret@agent.example.com', strict) ?? '', /secret/);
});

test('with loopback turned on, plain http is accepted there and nowhere else', (t) => {
  for (const url of [
    'http://localhost:3000/chat',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'https://localhost',
  ]) {
    t.is(endpointUrlProblem(url, embedded), undefined);
  }
  for (const url of [
    'http://agent.example.com',
    'http://192.168.0.10',
    'http://0.0.0.0:3000',
    'https://10.0.0.1',
  ]) {
    t.not(endpointUrlProblem(url, embedded), undefined);
  }
});

test('an allowed host is accepted over https', (t) => {
  const rules = { allowedHosts: ['10.0.0.9', 'localhost'], allowLoopback: false };
  t.is(endpointUrlProblem('https://10.0.0.9/chat', rules), undefined);
  t.is(endpointUrlProblem('https://localhost/chat', rules), undefined);
  t.not(endpointUrlProblem('http://10.0.0.9/chat', rules), undefined);
  t.not(endpointUrlProblem('https://10.0.0.10/chat', rules), undefined);
});

test("a server of the operator's own choice may be anywhere, over http as well, but is still a URL", (t) => {
  const own = { ...strict, anywhere: true };
  for (const url of ['http://models.house:11434/v1', 'http://10.0.0.5/v1', 'https://127.0.0.1/v1']) {
    t.is(endpointUrlProblem(url, own), undefined, url);
    t.not(endpointUrlProblem(url, strict), undefined, url);
  }
  for (const url of ['models.house', 'ftp://models.house', 'http://user@models.house']) {
    t.not(endpointUrlProblem(url, own), undefined, url);
  }
});
